// Lists what refers to each method, field and type of an image, by Mono.Cecil, which resolves references on its own: a row for each pair of
// a definition and a user, with the kind of use, the token of the user, and the IL offset in code.
//
//   csc -r:Mono.Cecil.dll Users.cs; users IMAGE >OUT.tsv
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;

static class Users
{
    static ModuleDefinition module;
    static readonly SortedSet<string> rows = new SortedSet<string>(StringComparer.Ordinal);

    static void Main(string[] arguments)
    {
        var resolver = new DefaultAssemblyResolver();
        resolver.AddSearchDirectory(Path.GetDirectoryName(Path.GetFullPath(arguments[0])));
        foreach (var folder in arguments.Skip(1)) resolver.AddSearchDirectory(folder);
        module = ModuleDefinition.ReadModule(arguments[0], new ReaderParameters { AssemblyResolver = resolver });
        foreach (var type in module.GetTypes()) OfType(type);
        OfAttributes(module.Assembly.CustomAttributes, module.Assembly.MetadataToken);
        OfAttributes(module.CustomAttributes, module.MetadataToken);
        using var output = new StreamWriter(Console.OpenStandardOutput());
        foreach (var row in rows) output.WriteLine(row);
    }

    static void Add(MetadataToken target, string kind, MetadataToken user, int? offset = null) =>
        rows.Add($"{target.ToUInt32():x8}\t{kind}\t{user.ToUInt32():x8}\t{(offset is int at ? at.ToString("x") : "")}");

    // A definition of this module that a reference leads to; a reference to another assembly is not followed.
    static T Own<T>(MemberReference reference, Func<IMemberDefinition> resolve) where T : class, IMemberDefinition
    {
        if (reference.DeclaringType is TypeReference owner && !IsOwn(owner)) return null;
        try { return resolve() is T found && found is MemberReference member && member.Module == module ? found : null; }
        catch (AssemblyResolutionException) { return null; }
    }

    static bool IsOwn(TypeReference type) => OwnType(type) != null;

    static TypeDefinition OwnType(TypeReference type)
    {
        var element = type.GetElementType();
        if (element is GenericParameter) return null;
        if (element is TypeDefinition definition) return definition;
        return element.Scope == module || element.Scope is ModuleDefinition ? element.Resolve() : null;
    }

    // The definitions that a type names: those that it is, and those that are arguments of a generic type in it.
    static void Named(TypeReference type, Action<TypeDefinition, bool> found, bool isArgument = false)
    {
        switch (type)
        {
            case null: case GenericParameter _: return;
            case GenericInstanceType instance:
                Named(instance.ElementType, found, isArgument);
                foreach (var argument in instance.GenericArguments) Named(argument, found, true);
                return;
            case FunctionPointerType pointer:
                Named(pointer.ReturnType, found, true);
                foreach (var parameter in pointer.Parameters) Named(parameter.ParameterType, found, true);
                return;
            case IModifierType modifier:
                Named(modifier.ModifierType, found, isArgument);
                Named(modifier.ElementType, found, isArgument);
                return;
            case TypeSpecification specification: Named(specification.ElementType, found, isArgument); return;
            default: if (OwnType(type) is TypeDefinition definition) found(definition, isArgument); return;
        }
    }

    static void InSignature(TypeReference type, MetadataToken user) =>
        Named(type, (found, _) => Add(found.MetadataToken, "signature", user));

    static void Base(TypeReference type, string kind, MetadataToken user) =>
        Named(type, (found, isArgument) => Add(found.MetadataToken, isArgument ? kind + "-argument" : kind, user));

    static void OfType(TypeDefinition type)
    {
        Base(type.BaseType, "base", type.MetadataToken);
        foreach (var implemented in type.Interfaces)
        {
            Base(implemented.InterfaceType, "interface", type.MetadataToken);
            OfAttributes(implemented.CustomAttributes, implemented.MetadataToken);
        }
        OfParameters(type);
        OfAttributes(type.CustomAttributes, type.MetadataToken);
        foreach (var field in type.Fields)
        {
            InSignature(field.FieldType, field.MetadataToken);
            OfAttributes(field.CustomAttributes, field.MetadataToken);
        }
        foreach (var property in type.Properties)
        {
            InSignature(property.PropertyType, property.MetadataToken);
            foreach (var parameter in property.Parameters) InSignature(parameter.ParameterType, property.MetadataToken);
            OfAttributes(property.CustomAttributes, property.MetadataToken);
        }
        foreach (var raised in type.Events)
        {
            Base(raised.EventType, "event", raised.MetadataToken);
            OfAttributes(raised.CustomAttributes, raised.MetadataToken);
        }
        foreach (var method in type.Methods) OfMethod(method);
    }

    static void OfParameters(IGenericParameterProvider owner)
    {
        foreach (var parameter in owner.GenericParameters)
        {
            foreach (var constraint in parameter.Constraints)
                Base((dynamic)constraint is GenericParameterConstraint ? ((dynamic)constraint).ConstraintType : (dynamic)constraint, "constraint", parameter.MetadataToken);
            OfAttributes(parameter.CustomAttributes, parameter.MetadataToken);
        }
    }

    static void OfMethod(MethodDefinition method)
    {
        InSignature(method.ReturnType, method.MetadataToken);
        foreach (var parameter in method.Parameters)
        {
            InSignature(parameter.ParameterType, method.MetadataToken);
            OfAttributes(parameter.CustomAttributes, parameter.MetadataToken);
        }
        OfAttributes(method.MethodReturnType.CustomAttributes, method.MethodReturnType.MetadataToken);
        OfAttributes(method.CustomAttributes, method.MetadataToken);
        OfParameters(method);
        if (!method.HasBody) return;
        foreach (var variable in method.Body.Variables)
            Named(variable.VariableType, (found, _) => Add(found.MetadataToken, "locals", method.MetadataToken));
        foreach (var handler in method.Body.ExceptionHandlers)
            if (handler.CatchType != null)
                Named(handler.CatchType, (found, isArgument) =>
                    Add(found.MetadataToken, isArgument ? "argument" : "catch", method.MetadataToken, handler.HandlerStart.Offset));
        foreach (var instruction in method.Body.Instructions) OfInstruction(method, instruction);
    }

    static void OfInstruction(MethodDefinition method, Instruction instruction)
    {
        var (token, offset, code) = (method.MetadataToken, instruction.Offset, instruction.OpCode.Code);
        void Argument(TypeReference type) => Named(type, (found, _) => Add(found.MetadataToken, "argument", token, offset));
        void Arguments(TypeReference type)
        {
            if (type is GenericInstanceType instance) foreach (var argument in instance.GenericArguments) Argument(argument);
        }
        switch (instruction.Operand)
        {
            case MethodReference called:
                var kind = code switch
                {
                    Code.Newobj => "new",
                    Code.Ldftn => "function-pointer",
                    Code.Ldvirtftn => "function-pointer",
                    Code.Ldtoken => "token",
                    _ => "call",
                };
                if (Own<MethodDefinition>(called, called.Resolve) is MethodDefinition definition)
                {
                    Add(definition.MetadataToken, kind, token, offset);
                    if (kind == "new") Add(definition.DeclaringType.MetadataToken, "new", token, offset);
                }
                if (called is GenericInstanceMethod generic) foreach (var argument in generic.GenericArguments) Argument(argument);
                if (kind == "new" || !called.HasThis) Arguments(called.DeclaringType);
                if (kind == "new" && called.DeclaringType is ArrayType array)
                    Named(array, (found, isArgument) => Add(found.MetadataToken, isArgument ? "argument" : "type", token, offset));
                break;
            case CallSite site:
                void InSite(TypeReference type) => Named(type, (found, _) => Add(found.MetadataToken, "signature", token, offset));
                InSite(site.ReturnType);
                foreach (var parameter in site.Parameters) InSite(parameter.ParameterType);
                break;
            case FieldReference field:
                var use = code switch
                {
                    Code.Ldfld => "read",
                    Code.Ldsfld => "read",
                    Code.Stfld => "write",
                    Code.Stsfld => "write",
                    Code.Ldtoken => "token",
                    _ => "address",
                };
                if (Own<FieldDefinition>(field, field.Resolve) is FieldDefinition own) Add(own.MetadataToken, use, token, offset);
                if (code == Code.Ldsfld || code == Code.Stsfld || code == Code.Ldsflda) Arguments(field.DeclaringType);
                break;
            case TypeReference type:
                Named(type, (found, isArgument) =>
                    Add(found.MetadataToken, isArgument ? "argument" : code == Code.Ldtoken ? "token" : "type", token, offset));
                break;
        }
    }

    static void OfAttributes(IEnumerable<CustomAttribute> attributes, MetadataToken user)
    {
        foreach (var attribute in attributes)
        {
            if (Own<MethodDefinition>(attribute.Constructor, attribute.Constructor.Resolve) is MethodDefinition constructor)
                Add(constructor.MetadataToken, "attribute", user);
            // An enum of an assembly that is not at hand has no known size.
            try
            {
                foreach (var argument in attribute.ConstructorArguments) InAttribute(argument, user);
                foreach (var named in attribute.Fields.Concat(attribute.Properties)) InAttribute(named.Argument, user);
            }
            catch (Exception error) when (error is AssemblyResolutionException || error is NullReferenceException) { }
        }
    }

    static void InAttribute(CustomAttributeArgument argument, MetadataToken user)
    {
        switch (argument.Value)
        {
            case TypeReference type: Named(type, (found, _) => Add(found.MetadataToken, "attribute-argument", user)); break;
            case CustomAttributeArgument[] all: foreach (var one in all) InAttribute(one, user); break;
            case CustomAttributeArgument boxed: InAttribute(boxed, user); break;
        }
    }
}
