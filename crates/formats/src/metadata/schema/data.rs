//! Columns of each table, and tables of each coded index.

use super::super::flags;
use super::ColumnKind::{Blob, Coded, Fixed, Guid, List, Row, String};
use super::{CodedIndex, ColumnDef, TABLE_COUNT, TableDef, TableId};
use crate::bytes::record::sentence;
use crate::bytes::{FieldDoc, Show};
use crate::signature::element;

tables! {
    /// The module itself, in a single row.
    MODULE = 0x00 "Module" {
        /// The generation of an Edit and Continue delta; 0 in a file.
        "Generation": Fixed(2) => Show::Plain,
        /// The file name of the module when it was compiled.
        "Name": String,
        /// The module version id (MVID), which is different for every build unless the output is the same.
        "Mvid": Guid,
        /// The id of this generation in Edit and Continue.
        "EncId": Guid,
        /// The id of the generation before it in Edit and Continue.
        "EncBaseId": Guid,
    }
    /// A type of another module that this one uses.
    TYPE_REF = 0x01 "TypeRef" {
        /// The scope that the type is resolved in: an assembly, a module, or the type that it is nested in.
        "ResolutionScope": Coded(&RESOLUTION_SCOPE),
        /// The name of the type; that of a generic type ends with a backtick and the number of its type parameters.
        "TypeName": String,
        /// The namespace of the type; empty if it is nested.
        "TypeNamespace": String,
    }
    /// A type that this module defines; the first, <Module>, has the members that belong to no type.
    TYPE_DEF = 0x02 "TypeDef" {
        /// The visibility, layout and other properties of the type.
        "Flags": Fixed(4) => Show::Parts(flags::TYPE),
        /// The name of the type; that of a generic type ends with a backtick and the number of its type parameters.
        "TypeName": String,
        /// The namespace of the type; empty if it is nested.
        "TypeNamespace": String,
        /// The base type; nil for an interface and for System.Object.
        "Extends": Coded(&TYPE_DEF_OR_REF),
        /// The first field of the type; its fields end where those of the next type begin.
        "FieldList": List(TableId::FIELD),
        /// The first method of the type; its methods end where those of the next type begin.
        "MethodList": List(TableId::METHOD_DEF),
    }
    /// The order of fields in uncompressed metadata.
    FIELD_PTR = 0x03 "FieldPtr" {
        /// The row of Field at this position.
        "Field": Row(TableId::FIELD),
    }
    /// A field of a type.
    FIELD = 0x04 "Field" {
        /// The accessibility of the field, and whether it is static, read-only or constant.
        "Flags": Fixed(2) => Show::Parts(flags::FIELD),
        /// The name of the field.
        "Name": String,
        /// The signature of the field, which is its type.
        "Signature": Blob,
    }
    /// The order of methods in uncompressed metadata.
    METHOD_PTR = 0x05 "MethodPtr" {
        /// The row of MethodDef at this position.
        "Method": Row(TableId::METHOD_DEF),
    }
    /// A method that this module defines; a PDB refers to the method by this row.
    METHOD_DEF = 0x06 "MethodDef" {
        /// The RVA of the method body; 0 if the method has none.
        "RVA": Fixed(4) => Show::Rva,
        /// The kind of code, and instructions to the JIT compiler.
        "ImplFlags": Fixed(2) => Show::Parts(flags::METHOD_IMPL),
        /// The accessibility of the method, and whether it is static or virtual or has a special name.
        "Flags": Fixed(2) => Show::Parts(flags::METHOD),
        /// The name of the method.
        "Name": String,
        /// The signature of the method: its return type and the types of its parameters.
        "Signature": Blob,
        /// The first parameter of the method; its parameters end where those of the next method begin.
        "ParamList": List(TableId::PARAM),
    }
    /// The order of parameters in uncompressed metadata.
    PARAM_PTR = 0x07 "ParamPtr" {
        /// The row of Param at this position.
        "Param": Row(TableId::PARAM),
    }
    /// A parameter: its name and other properties that the signature does not have.
    PARAM = 0x08 "Param" {
        /// The direction of the parameter, and whether it has a default.
        "Flags": Fixed(2) => Show::Parts(flags::PARAM),
        /// The position of the parameter, counted from 1; 0 is the return value.
        "Sequence": Fixed(2) => Show::Plain,
        /// The name of the parameter; empty for a return value.
        "Name": String,
    }
    /// An interface that a type implements.
    INTERFACE_IMPL = 0x09 "InterfaceImpl" {
        /// The type that implements the interface.
        "Class": Row(TableId::TYPE_DEF),
        /// The interface.
        "Interface": Coded(&TYPE_DEF_OR_REF),
    }
    /// A method or field of another module, or of a generic type with type arguments.
    MEMBER_REF = 0x0a "MemberRef" {
        /// The type or module that the member belongs to.
        "Class": Coded(&MEMBER_REF_PARENT),
        /// The name of the member.
        "Name": String,
        /// The signature of the member, which with the name selects the overload.
        "Signature": Blob,
    }
    /// The value of a constant field, or the default of a parameter or property.
    CONSTANT = 0x0b "Constant" {
        /// The element type of the value; class means null.
        "Type": Fixed(1) => Show::OneOf(element::NAMES),
        /// Reserved; must be 0.
        "Padding": Fixed(1) => Show::Plain,
        /// The field, parameter or property that has the value.
        "Parent": Coded(&HAS_CONSTANT),
        /// The value: a little-endian number, or a string in UTF-16.
        "Value": Blob,
    }
    /// A custom attribute of any row.
    CUSTOM_ATTRIBUTE = 0x0c "CustomAttribute" {
        /// The row that has the attribute.
        "Parent": Coded(&HAS_CUSTOM_ATTRIBUTE),
        /// The constructor of the attribute, which belongs to the attribute type.
        "Type": Coded(&CUSTOM_ATTRIBUTE_TYPE),
        /// The arguments of the attribute: 01 00, the positional ones, and a count of named ones with their values.
        "Value": Blob,
    }
    /// The way that a field or parameter is passed to native code.
    FIELD_MARSHAL = 0x0d "FieldMarshal" {
        /// The field or parameter.
        "Parent": Coded(&HAS_FIELD_MARSHAL),
        /// The native type.
        "NativeType": Blob,
    }
    /// Permissions of code access security, which runtimes since .NET Core ignore.
    DECL_SECURITY = 0x0e "DeclSecurity" {
        /// The action that applies to the permissions.
        "Action": Fixed(2) => Show::OneOf(flags::SECURITY),
        /// The type, method or assembly that declares the permissions.
        "Parent": Coded(&HAS_DECL_SECURITY),
        /// The permissions.
        "PermissionSet": Blob,
    }
    /// The size and packing of a type with a prescribed layout.
    CLASS_LAYOUT = 0x0f "ClassLayout" {
        /// The maximum alignment of fields in bytes; 0 leaves it to the runtime.
        "PackingSize": Fixed(2) => Show::Plain,
        /// The minimum size of the type in bytes; 0 leaves it to the runtime.
        "ClassSize": Fixed(4) => Show::Plain,
        /// The type.
        "Parent": Row(TableId::TYPE_DEF),
    }
    /// The position of a field in a type with explicit layout.
    FIELD_LAYOUT = 0x10 "FieldLayout" {
        /// The offset of the field from the start of the type, in bytes.
        "Offset": Fixed(4) => Show::Plain,
        /// The field.
        "Field": Row(TableId::FIELD),
    }
    /// A signature without a name: the local variables of a method, or a call through a function pointer.
    STAND_ALONE_SIG = 0x11 "StandAloneSig" {
        /// The signature.
        "Signature": Blob,
    }
    /// The events of a type.
    EVENT_MAP = 0x12 "EventMap" {
        /// The type.
        "Parent": Row(TableId::TYPE_DEF),
        /// The first event of the type; its events end where those of the next row begin.
        "EventList": List(TableId::EVENT),
    }
    /// The order of events in uncompressed metadata.
    EVENT_PTR = 0x13 "EventPtr" {
        /// The row of Event at this position.
        "Event": Row(TableId::EVENT),
    }
    /// An event; MethodSemantics has its methods.
    EVENT = 0x14 "Event" {
        /// Marks an event with a special name.
        "EventFlags": Fixed(2) => Show::Parts(flags::MEMBER),
        /// The name of the event.
        "Name": String,
        /// The delegate type of its handlers.
        "EventType": Coded(&TYPE_DEF_OR_REF),
    }
    /// The properties of a type.
    PROPERTY_MAP = 0x15 "PropertyMap" {
        /// The type.
        "Parent": Row(TableId::TYPE_DEF),
        /// The first property of the type; its properties end where those of the next row begin.
        "PropertyList": List(TableId::PROPERTY),
    }
    /// The order of properties in uncompressed metadata.
    PROPERTY_PTR = 0x16 "PropertyPtr" {
        /// The row of Property at this position.
        "Property": Row(TableId::PROPERTY),
    }
    /// A property; MethodSemantics has its getter and setter.
    PROPERTY = 0x17 "Property" {
        /// Marks a special name, and a property with a constant.
        "Flags": Fixed(2) => Show::Parts(flags::MEMBER),
        /// The name of the property.
        "Name": String,
        /// The signature of the property: its type, and the types of the indices of an indexer.
        "Type": Blob,
    }
    /// The role of a method as an accessor of a property or event.
    METHOD_SEMANTICS = 0x18 "MethodSemantics" {
        /// The role of the method.
        "Semantics": Fixed(2) => Show::Flags(flags::SEMANTICS),
        /// The method.
        "Method": Row(TableId::METHOD_DEF),
        /// The property or event.
        "Association": Coded(&HAS_SEMANTICS),
    }
    /// An explicit override, such as an explicit interface implementation.
    METHOD_IMPL = 0x19 "MethodImpl" {
        /// The type that the override applies to.
        "Class": Row(TableId::TYPE_DEF),
        /// The method that implements.
        "MethodBody": Coded(&METHOD_DEF_OR_REF),
        /// The method that is overridden.
        "MethodDeclaration": Coded(&METHOD_DEF_OR_REF),
    }
    /// Another module that is used: the native library of a P/Invoke, or a file of the same assembly.
    MODULE_REF = 0x1a "ModuleRef" {
        /// The file name of the module.
        "Name": String,
    }
    /// A type that needs a signature: an array, a generic type with arguments, or a type parameter.
    TYPE_SPEC = 0x1b "TypeSpec" {
        /// The signature of the type.
        "Signature": Blob,
    }
    /// A method that a native library implements (P/Invoke).
    IMPL_MAP = 0x1c "ImplMap" {
        /// The calling convention, and the way that strings are passed.
        "MappingFlags": Fixed(2) => Show::Parts(flags::PINVOKE),
        /// The method.
        "MemberForwarded": Coded(&MEMBER_FORWARDED),
        /// The name that the library exports it under.
        "ImportName": String,
        /// The native library.
        "ImportScope": Row(TableId::MODULE_REF),
    }
    /// A static field with an initial value in the image; array initializers are stored this way.
    FIELD_RVA = 0x1d "FieldRVA" {
        /// The RVA of the initial value.
        "RVA": Fixed(4) => Show::Rva,
        /// The field.
        "Field": Row(TableId::FIELD),
    }
    /// A change of an Edit and Continue delta, in order.
    ENC_LOG = 0x1e "EncLog" {
        /// The token of the changed row in the whole module.
        "Token": Fixed(4) => Show::Token,
        /// The kind of change; an added row comes in the next row.
        "FuncCode": Fixed(4) => Show::OneOf(flags::ENC),
    }
    /// The row of the whole module that a row of an Edit and Continue delta stands for, in order.
    ENC_MAP = 0x1f "EncMap" {
        /// The token in the whole module.
        "Token": Fixed(4) => Show::Token,
    }
    /// The assembly that this module has the manifest of, in a single row.
    ASSEMBLY = 0x20 "Assembly" {
        /// The algorithm of the hashes of its other files.
        "HashAlgId": Fixed(4) => Show::OneOf(flags::HASHES),
        /// The first part of the assembly version.
        "MajorVersion": Fixed(2) => Show::Plain,
        /// The second part of the assembly version.
        "MinorVersion": Fixed(2) => Show::Plain,
        /// The third part of the assembly version.
        "BuildNumber": Fixed(2) => Show::Plain,
        /// The fourth part of the assembly version.
        "RevisionNumber": Fixed(2) => Show::Plain,
        /// Marks a public key that is stored in full, and what the JIT compiler keeps for debuggers.
        "Flags": Fixed(4) => Show::Parts(flags::ASSEMBLY),
        /// The public key that the assembly is signed with; nil if it is not signed.
        "PublicKey": Blob,
        /// The simple name of the assembly, without .dll.
        "Name": String,
        /// The culture of a satellite assembly; empty for code.
        "Culture": String,
    }
    /// The processor that the assembly is for; obsolete.
    ASSEMBLY_PROCESSOR = 0x21 "AssemblyProcessor" {
        /// The processor.
        "Processor": Fixed(4) => Show::Plain,
    }
    /// The operating system that the assembly is for; obsolete.
    ASSEMBLY_OS = 0x22 "AssemblyOS" {
        /// The platform.
        "OSPlatformID": Fixed(4) => Show::Plain,
        /// The major version of the operating system.
        "OSMajorVersion": Fixed(4) => Show::Plain,
        /// The minor version of the operating system.
        "OSMinorVersion": Fixed(4) => Show::Plain,
    }
    /// Another assembly that this one uses.
    ASSEMBLY_REF = 0x23 "AssemblyRef" {
        /// The first part of the version that was compiled against.
        "MajorVersion": Fixed(2) => Show::Plain,
        /// The second part of the version that was compiled against.
        "MinorVersion": Fixed(2) => Show::Plain,
        /// The third part of the version that was compiled against.
        "BuildNumber": Fixed(2) => Show::Plain,
        /// The fourth part of the version that was compiled against.
        "RevisionNumber": Fixed(2) => Show::Plain,
        /// Marks the next column as a full public key.
        "Flags": Fixed(4) => Show::Parts(flags::ASSEMBLY),
        /// The public key of the assembly, or the last 8 bytes of its SHA-1; nil if the assembly is not signed.
        "PublicKeyOrToken": Blob,
        /// The simple name of the assembly, without .dll.
        "Name": String,
        /// The culture of a satellite assembly; empty for code.
        "Culture": String,
        /// A hash of the file; usually nil.
        "HashValue": Blob,
    }
    /// The processor that a referenced assembly is for; obsolete.
    ASSEMBLY_REF_PROCESSOR = 0x24 "AssemblyRefProcessor" {
        /// The processor.
        "Processor": Fixed(4) => Show::Plain,
        /// The referenced assembly.
        "AssemblyRef": Row(TableId::ASSEMBLY_REF),
    }
    /// The operating system that a referenced assembly is for; obsolete.
    ASSEMBLY_REF_OS = 0x25 "AssemblyRefOS" {
        /// The platform.
        "OSPlatformId": Fixed(4) => Show::Plain,
        /// The major version of the operating system.
        "OSMajorVersion": Fixed(4) => Show::Plain,
        /// The minor version of the operating system.
        "OSMinorVersion": Fixed(4) => Show::Plain,
        /// The referenced assembly.
        "AssemblyRef": Row(TableId::ASSEMBLY_REF),
    }
    /// Another file of this assembly.
    FILE = 0x26 "File" {
        /// Marks a file without metadata, such as a resource file.
        "Flags": Fixed(4) => Show::OneOf(flags::FILE),
        /// The name of the file.
        "Name": String,
        /// The hash of the file.
        "HashValue": Blob,
    }
    /// A type that this assembly exports and another file defines, such as a forwarded type.
    EXPORTED_TYPE = 0x27 "ExportedType" {
        /// The visibility of the type, and whether it is forwarded.
        "Flags": Fixed(4) => Show::Parts(flags::TYPE),
        /// The row of the type in the file that defines it; only a hint.
        "TypeDefId": Fixed(4) => Show::Hex,
        /// The name of the type.
        "TypeName": String,
        /// The namespace of the type; empty if it is nested.
        "TypeNamespace": String,
        /// The location of the type: another assembly, a file of this one, or the type that it is nested in.
        "Implementation": Coded(&IMPLEMENTATION),
    }
    /// A managed resource.
    MANIFEST_RESOURCE = 0x28 "ManifestResource" {
        /// The offset of the resource among the resources of the CLI header, or in the file that has it.
        "Offset": Fixed(4) => Show::Hex,
        /// The visibility of the resource.
        "Flags": Fixed(4) => Show::OneOf(flags::RESOURCE),
        /// The name of the resource.
        "Name": String,
        /// The file or assembly that has the resource; nil for this file.
        "Implementation": Coded(&IMPLEMENTATION),
    }
    /// A type that is nested in another.
    NESTED_CLASS = 0x29 "NestedClass" {
        /// The nested type.
        "NestedClass": Row(TableId::TYPE_DEF),
        /// The enclosing type.
        "EnclosingClass": Row(TableId::TYPE_DEF),
    }
    /// A type parameter of a type or method.
    GENERIC_PARAM = 0x2a "GenericParam" {
        /// The position of the type parameter, counted from 0; signatures refer to it by ! or !! and this number.
        "Number": Fixed(2) => Show::Plain,
        /// The variance and the special constraints of the type parameter.
        "Flags": Fixed(2) => Show::Parts(flags::GENERIC_PARAM),
        /// The type or method that has the type parameter.
        "Owner": Coded(&TYPE_OR_METHOD_DEF),
        /// The name of the type parameter.
        "Name": String,
    }
    /// A generic method with type arguments.
    METHOD_SPEC = 0x2b "MethodSpec" {
        /// The generic method.
        "Method": Coded(&METHOD_DEF_OR_REF),
        /// The signature with the type arguments.
        "Instantiation": Blob,
    }
    /// A type that a type parameter must derive from or implement.
    GENERIC_PARAM_CONSTRAINT = 0x2c "GenericParamConstraint" {
        /// The type parameter.
        "Owner": Row(TableId::GENERIC_PARAM),
        /// The base type or interface.
        "Constraint": Coded(&TYPE_DEF_OR_REF),
    }
    /// A source file, by the path that the compiler used.
    DOCUMENT = 0x30 "Document" {
        /// The path of the document, in parts.
        "Name": Blob,
        /// The algorithm of the hash.
        "HashAlgorithm": Guid,
        /// The hash of the bytes of the source file, which verifies that a file is the one that was compiled.
        "Hash": Blob,
        /// The source language.
        "Language": Guid,
    }
    /// The sequence points of the method with the same row in MethodDef.
    METHOD_DEBUG_INFORMATION = 0x31 "MethodDebugInformation" {
        /// The document that all points belong to; nil if there are several, or no points.
        "Document": Row(TableId::DOCUMENT),
        /// The sequence points; nil for a method without source.
        "SequencePoints": Blob,
    }
    /// A range of IL in which local variables and constants have names, sorted by method, outer scopes first.
    LOCAL_SCOPE = 0x32 "LocalScope" {
        /// The method.
        "Method": Row(TableId::METHOD_DEF),
        /// The imports that are in effect in the scope.
        "ImportScope": Row(TableId::IMPORT_SCOPE),
        /// The first variable of the scope; its variables end where those of the next scope begin.
        "VariableList": List(TableId::LOCAL_VARIABLE),
        /// The first constant of the scope; its constants end where those of the next scope begin.
        "ConstantList": List(TableId::LOCAL_CONSTANT),
        /// The IL offset of the scope.
        "StartOffset": Fixed(4) => Show::IlOffset,
        /// The size of the scope in bytes of IL.
        "Length": Fixed(4) => Show::Plain,
    }
    /// The name of a local variable.
    LOCAL_VARIABLE = 0x33 "LocalVariable" {
        /// Marks a variable that debuggers hide.
        "Attributes": Fixed(2) => Show::Flags(flags::LOCAL),
        /// The slot of the variable: its position in the local signature.
        "Index": Fixed(2) => Show::Plain,
        /// The name of the variable.
        "Name": String,
    }
    /// A local constant, of which compiled code has only the value.
    LOCAL_CONSTANT = 0x34 "LocalConstant" {
        /// The name of the constant.
        "Name": String,
        /// The type and the value of the constant.
        "Signature": Blob,
    }
    /// The imports of using, Imports or open that are in effect, for expressions in a debugger.
    IMPORT_SCOPE = 0x35 "ImportScope" {
        /// The enclosing scope; that of a file is the scope of the project.
        "Parent": Row(TableId::IMPORT_SCOPE),
        /// The imports; nil if there are none.
        "Imports": Blob,
    }
    /// An async method or iterator, and the method that its body was moved to.
    STATE_MACHINE_METHOD = 0x36 "StateMachineMethod" {
        /// The method that has the body and the sequence points (MoveNext).
        "MoveNextMethod": Row(TableId::METHOD_DEF),
        /// The kickoff method of the source, which only starts the state machine.
        "KickoffMethod": Row(TableId::METHOD_DEF),
    }
    /// Custom debug information: additional data of compilers about any row.
    CUSTOM_DEBUG_INFORMATION = 0x37 "CustomDebugInformation" {
        /// The row that the information is about.
        "Parent": Coded(&HAS_CUSTOM_DEBUG_INFORMATION),
        /// The kind of the information, which decides its format.
        "Kind": Guid,
        /// The information itself.
        "Value": Blob,
    }
}

// A dash is an unused tag.
coded! {
    TYPE_DEF_OR_REF "TypeDefOrRef" 2 [TYPE_DEF TYPE_REF TYPE_SPEC];
    HAS_CONSTANT "HasConstant" 2 [FIELD PARAM PROPERTY];
    HAS_CUSTOM_ATTRIBUTE "HasCustomAttribute" 5 [
        METHOD_DEF FIELD TYPE_REF TYPE_DEF PARAM INTERFACE_IMPL MEMBER_REF MODULE DECL_SECURITY PROPERTY EVENT STAND_ALONE_SIG
        MODULE_REF TYPE_SPEC ASSEMBLY ASSEMBLY_REF FILE EXPORTED_TYPE MANIFEST_RESOURCE GENERIC_PARAM
        GENERIC_PARAM_CONSTRAINT METHOD_SPEC
    ];
    HAS_FIELD_MARSHAL "HasFieldMarshal" 1 [FIELD PARAM];
    HAS_DECL_SECURITY "HasDeclSecurity" 2 [TYPE_DEF METHOD_DEF ASSEMBLY];
    MEMBER_REF_PARENT "MemberRefParent" 3 [TYPE_DEF TYPE_REF MODULE_REF METHOD_DEF TYPE_SPEC];
    HAS_SEMANTICS "HasSemantics" 1 [EVENT PROPERTY];
    METHOD_DEF_OR_REF "MethodDefOrRef" 1 [METHOD_DEF MEMBER_REF];
    MEMBER_FORWARDED "MemberForwarded" 1 [FIELD METHOD_DEF];
    IMPLEMENTATION "Implementation" 2 [FILE ASSEMBLY_REF EXPORTED_TYPE];
    CUSTOM_ATTRIBUTE_TYPE "CustomAttributeType" 3 [- - METHOD_DEF MEMBER_REF -];
    RESOLUTION_SCOPE "ResolutionScope" 2 [MODULE MODULE_REF ASSEMBLY_REF TYPE_REF];
    TYPE_OR_METHOD_DEF "TypeOrMethodDef" 1 [TYPE_DEF METHOD_DEF];
    HAS_CUSTOM_DEBUG_INFORMATION "HasCustomDebugInformation" 5 [
        METHOD_DEF FIELD TYPE_REF TYPE_DEF PARAM INTERFACE_IMPL MEMBER_REF MODULE DECL_SECURITY PROPERTY EVENT STAND_ALONE_SIG
        MODULE_REF TYPE_SPEC ASSEMBLY ASSEMBLY_REF FILE EXPORTED_TYPE MANIFEST_RESOURCE GENERIC_PARAM
        GENERIC_PARAM_CONSTRAINT METHOD_SPEC DOCUMENT LOCAL_SCOPE LOCAL_VARIABLE LOCAL_CONSTANT IMPORT_SCOPE
    ];
}
