// Writes expected.txt: every signature blob of some images, once, and what System.Reflection.Metadata's decoder makes of it.
// usage: signatures IMAGE... >expected.txt    (the sample images, and Rare.cs compiled as an unsafe library)
using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

// The text of a type. The brackets of an array are kept apart, since those of an array of it go before them.
class Text
{
    public string Element, Brackets = "";
    public bool IsPrefixForm;

    public static Text Plain(string text) => new Text { Element = text };
    public static Text Prefixed(string text) => new Text { Element = text, IsPrefixForm = true };
    public override string ToString() => Element + Brackets;
    public string InSuffix => IsPrefixForm ? $"({this})" : ToString();
}

class Texts : ISignatureTypeProvider<Text, object>
{
    static Text Name(EntityHandle handle) => Text.Plain("T" + MetadataTokens.GetToken(handle).ToString("x8"));

    public Text GetPrimitiveType(PrimitiveTypeCode code) => Text.Plain(code switch
    {
        PrimitiveTypeCode.Void => "void", PrimitiveTypeCode.Boolean => "bool", PrimitiveTypeCode.Char => "char",
        PrimitiveTypeCode.SByte => "sbyte", PrimitiveTypeCode.Byte => "byte", PrimitiveTypeCode.Int16 => "short",
        PrimitiveTypeCode.UInt16 => "ushort", PrimitiveTypeCode.Int32 => "int", PrimitiveTypeCode.UInt32 => "uint",
        PrimitiveTypeCode.Int64 => "long", PrimitiveTypeCode.UInt64 => "ulong", PrimitiveTypeCode.Single => "float",
        PrimitiveTypeCode.Double => "double", PrimitiveTypeCode.String => "string", PrimitiveTypeCode.Object => "object",
        PrimitiveTypeCode.IntPtr => "nint", PrimitiveTypeCode.UIntPtr => "nuint",
        PrimitiveTypeCode.TypedReference => "TypedReference", _ => throw new BadImageFormatException(),
    });

    public Text GetTypeFromDefinition(MetadataReader reader, TypeDefinitionHandle handle, byte kind) => Name(handle);
    public Text GetTypeFromReference(MetadataReader reader, TypeReferenceHandle handle, byte kind) => Name(handle);
    public Text GetTypeFromSpecification(MetadataReader reader, object context, TypeSpecificationHandle handle, byte kind) => Name(handle);

    static Text Array(Text element, string brackets) =>
        element.Brackets != "" && !element.IsPrefixForm
            ? new Text { Element = element.Element, Brackets = brackets + element.Brackets }
            : new Text { Element = element.InSuffix, Brackets = brackets };

    public Text GetSZArrayType(Text element) => Array(element, "[]");

    public Text GetArrayType(Text element, ArrayShape shape)
    {
        string Dimension(int i)
        {
            long low = i < shape.LowerBounds.Length ? shape.LowerBounds[i] : 0;
            return low + "..." + (i < shape.Sizes.Length ? (low + shape.Sizes[i] - 1).ToString() : "");
        }
        var plain = shape.Sizes.Length == 0 && shape.LowerBounds.All(bound => bound == 0);
        var inside = !plain ? string.Join(",", Enumerable.Range(0, shape.Rank).Select(Dimension))
            : shape.Rank <= 1 ? "*" : new string(',', shape.Rank - 1);
        return Array(element, $"[{inside}]");
    }

    public Text GetByReferenceType(Text target) => Text.Prefixed("ref " + target);
    public Text GetPinnedType(Text type) => Text.Prefixed("pinned " + type);
    public Text GetPointerType(Text target) => Text.Plain(target.InSuffix + "*");
    public Text GetModifiedType(Text modifier, Text type, bool required) =>
        Text.Prefixed((required ? "modreq(" : "modopt(") + modifier + ") " + type);
    public Text GetGenericInstantiation(Text type, ImmutableArray<Text> arguments) => Text.Plain($"{type}<{string.Join(", ", arguments)}>");
    public Text GetGenericMethodParameter(object context, int index) => Text.Plain("!!" + index);
    public Text GetGenericTypeParameter(object context, int index) => Text.Plain("!" + index);

    static string Convention(SignatureCallingConvention convention) => (int)convention switch
    {
        1 => " unmanaged[Cdecl]", 2 => " unmanaged[Stdcall]", 3 => " unmanaged[Thiscall]", 4 => " unmanaged[Fastcall]",
        9 => " unmanaged", _ => "",
    };

    static List<string> Parameters(MethodSignature<Text> method)
    {
        var parameters = method.ParameterTypes.Select(type => type.ToString()).ToList();
        if (method.Header.CallingConvention == SignatureCallingConvention.VarArgs) parameters.Insert(method.RequiredParameterCount, "...");
        return parameters;
    }

    public Text GetFunctionPointerType(MethodSignature<Text> method) =>
        Text.Plain("delegate*" + (method.Header.IsInstance ? " instance" : "") + Convention(method.Header.CallingConvention)
            + "<" + string.Concat(Parameters(method).Select(text => text + ", ")) + method.ReturnType + ">");

    public static string Method(MethodSignature<Text> method)
    {
        var count = method.GenericParameterCount;
        var generic = count == 0 ? "" : "<" + string.Join(", ", Enumerable.Range(0, count).Select(i => "!!" + i)) + ">";
        return method.ReturnType + " " + generic + "(" + string.Join(", ", Parameters(method)) + ")";
    }

    public static string Property(MethodSignature<Text> property) =>
        property.ReturnType + (property.ParameterTypes.Length == 0 ? "" : $" [{string.Join(", ", property.ParameterTypes)}]");
}

static class Signatures
{
    delegate string Decode(SignatureDecoder<Text, object> decoder, BlobReader blob);

    static void Main(string[] images)
    {
        var lines = new SortedSet<string>(StringComparer.Ordinal);
        foreach (var image in images)
        {
            var pe = new PEReader(ImmutableArray.Create(File.ReadAllBytes(image)));
            if (pe.HasMetadata) Add(lines, pe.GetMetadataReader());
        }
        using var output = new StreamWriter(Console.OpenStandardOutput()) { NewLine = "\n" };
        foreach (var line in lines) output.WriteLine(line);
    }

    static void Add(SortedSet<string> lines, MetadataReader reader)
    {
        var decoder = new SignatureDecoder<Text, object>(new Texts(), reader, null);
        void Line(string kind, BlobHandle handle, Decode decode)
        {
            var hex = BitConverter.ToString(reader.GetBlobBytes(handle)).Replace("-", "").ToLowerInvariant();
            lines.Add(kind + "\t" + hex + "\t" + decode(decoder, reader.GetBlobReader(handle)));
        }
        IEnumerable<int> Rows(TableIndex table) => Enumerable.Range(1, reader.GetTableRowCount(table));
        Decode type = (d, blob) => d.DecodeType(ref blob).ToString();
        Decode field = (d, blob) => d.DecodeFieldSignature(ref blob).ToString();
        Decode method = (d, blob) => Texts.Method(d.DecodeMethodSignature(ref blob));
        Decode property = (d, blob) => Texts.Property(d.DecodeMethodSignature(ref blob));
        Decode locals = (d, blob) => string.Join(", ", d.DecodeLocalSignature(ref blob));
        Decode instantiation = (d, blob) => $"<{string.Join(", ", d.DecodeMethodSpecificationSignature(ref blob))}>";
        // Members and stand-alone signatures: by the first byte.
        Decode Any(BlobHandle handle) => (reader.GetBlobReader(handle).ReadByte() & 0xf) switch { 6 => field, 7 => locals, _ => method };

        foreach (var h in reader.MethodDefinitions) Line("s", reader.GetMethodDefinition(h).Signature, method);
        foreach (var h in reader.FieldDefinitions) Line("s", reader.GetFieldDefinition(h).Signature, field);
        foreach (var h in reader.PropertyDefinitions) Line("s", reader.GetPropertyDefinition(h).Signature, property);
        foreach (var h in reader.MemberReferences)
        {
            var signature = reader.GetMemberReference(h).Signature;
            Line("s", signature, Any(signature));
        }
        foreach (var row in Rows(TableIndex.TypeSpec))
            Line("t", reader.GetTypeSpecification(MetadataTokens.TypeSpecificationHandle(row)).Signature, type);
        foreach (var row in Rows(TableIndex.MethodSpec))
            Line("s", reader.GetMethodSpecification(MetadataTokens.MethodSpecificationHandle(row)).Signature, instantiation);
        foreach (var row in Rows(TableIndex.StandAloneSig))
        {
            var signature = reader.GetStandaloneSignature(MetadataTokens.StandaloneSignatureHandle(row)).Signature;
            Line("s", signature, Any(signature));
        }
    }
}
