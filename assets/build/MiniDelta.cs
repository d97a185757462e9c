// Emits a base and its hot-reload deltas through Roslyn: minidelta NAME OUT-FOLDER REFERENCE… -- BASE.cs FIRST.cs SECOND.cs …
// Writes NAME.dll and NAME.pdb, and of each later source NAME.n.meta, NAME.n.il and NAME.n.pdb. A method whose text differs from
// the generation before is an update, one that was not there an insertion.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.Emit;
using Microsoft.CodeAnalysis.Text;

static class MiniDelta {
    static int Main(string[] args) {
        string name = args[0], folder = args[1];
        var split = Array.IndexOf(args, "--");
        var references = args.Skip(2).Take(split - 2).Select(path => (MetadataReference)MetadataReference.CreateFromFile(path)).ToArray();
        var sources = args.Skip(split + 1).ToArray();
        var options = new CSharpCompilationOptions(OutputKind.ConsoleApplication, optimizationLevel: OptimizationLevel.Debug, deterministic: true);
        // Every generation names the document as the base does: it is one file that is edited.
        var document = "/_/" + name.ToLowerInvariant() + "/" + Path.GetFileName(sources[0]);
        SyntaxTree Tree(string path) {
            using (var file = File.OpenRead(path))
                return CSharpSyntaxTree.ParseText(SourceText.From(file, Encoding.UTF8, SourceHashAlgorithm.Sha256), path: document);
        }
        var old = CSharpCompilation.Create(name, new[] { Tree(sources[0]) }, references, options);
        byte[] image, symbols;
        using (MemoryStream pe = new MemoryStream(), pdb = new MemoryStream()) {
            var emitted = old.Emit(pe, pdb, options: new EmitOptions(debugInformationFormat: DebugInformationFormat.PortablePdb, pdbFilePath: "/_/" + name + ".pdb"));
            if (!emitted.Success) return Fail(emitted.Diagnostics);
            image = pe.ToArray(); symbols = pdb.ToArray();
        }
        File.WriteAllBytes(Path.Combine(folder, name + ".dll"), image);
        File.WriteAllBytes(Path.Combine(folder, name + ".pdb"), symbols);
        var baseline = EmitBaseline.CreateInitialBaseline(old, ModuleMetadata.CreateFromImage(image), _ => default, _ => default, true);
        for (var generation = 1; generation < sources.Length; generation++) {
            var next = old.RemoveAllSyntaxTrees().AddSyntaxTrees(Tree(sources[generation]));
            var edits = new List<SemanticEdit>();
            var inserted = new HashSet<ISymbol>(SymbolEqualityComparer.Default);
            var before = Methods(old).ToDictionary(Key);
            foreach (var method in Methods(next)) {
                if (!before.TryGetValue(Key(method), out var was)) { inserted.Add(method); edits.Add(new SemanticEdit(SemanticEditKind.Insert, null, method)); }
                else if (Text(was) != Text(method)) edits.Add(new SemanticEdit(SemanticEditKind.Update, was, method));
            }
            using (MemoryStream meta = new MemoryStream(), il = new MemoryStream(), pdb = new MemoryStream()) {
                var emitted = next.EmitDifference(baseline, edits, symbol => inserted.Contains(symbol), meta, il, pdb);
                if (!emitted.Success) return Fail(emitted.Diagnostics);
                var stem = Path.Combine(folder, name + "." + generation);
                File.WriteAllBytes(stem + ".meta", meta.ToArray());
                File.WriteAllBytes(stem + ".il", il.ToArray());
                File.WriteAllBytes(stem + ".pdb", pdb.ToArray());
                baseline = emitted.Baseline;
            }
            old = next;
        }
        return 0;
    }

    static IEnumerable<IMethodSymbol> Methods(Compilation of) =>
        of.GlobalNamespace.GetMembers().OfType<INamedTypeSymbol>().Where(type => type.Locations.Any(at => at.IsInSource))
            .SelectMany(type => type.GetMembers().OfType<IMethodSymbol>()).Where(method => method.DeclaringSyntaxReferences.Length > 0);
    static string Key(IMethodSymbol method) => method.ToDisplayString();
    static string Text(IMethodSymbol method) => method.DeclaringSyntaxReferences[0].GetSyntax().ToFullString();
    static int Fail(IEnumerable<Diagnostic> diagnostics) {
        foreach (var error in diagnostics.Where(one => one.Severity == DiagnosticSeverity.Error)) Console.Error.WriteLine(error);
        return 1;
    }
}
