// The jobs of benches/portable.rs done by System.Reflection.Metadata, the reader that debuggers and the .NET tools use.
//
// Arguments: a portable PDB, and a file of look-ups, each a method row and an IL offset of 4 bytes, little-endian. Each line of standard
// input names a job, `points` or `lookups`; its sum is printed when it is done, so that the bench takes turns with a program that is warm.
using System;
using System.Collections.Immutable;
using System.IO;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

static class Srm
{
    static void Main(string[] arguments)
    {
        var image = ImmutableArray.Create(File.ReadAllBytes(arguments[0]));
        using var provider = MetadataReaderProvider.FromPortablePdbImage(image);
        var reader = provider.GetMetadataReader();
        var bytes = File.ReadAllBytes(arguments[1]);
        var lookups = new uint[bytes.Length / 4];
        Buffer.BlockCopy(bytes, 0, lookups, 0, lookups.Length * 4);
        for (string job; (job = Console.ReadLine()) != null;)
            Console.WriteLine(job == "points" ? Points(reader) : Lookups(reader, lookups));
    }

    static ulong Points(MetadataReader reader)
    {
        ulong sum = 0;
        foreach (var handle in reader.MethodDebugInformation)
            foreach (var point in reader.GetMethodDebugInformation(handle).GetSequencePoints())
                sum += (ulong)(point.Offset + point.StartLine + point.EndLine + point.StartColumn + point.EndColumn);
        return sum;
    }

    // The start line of the last visible point at or before the offset; 0 without one.
    static ulong Lookups(MetadataReader reader, uint[] lookups)
    {
        ulong sum = 0;
        for (int at = 0; at < lookups.Length; at += 2)
        {
            int line = 0;
            var method = MetadataTokens.MethodDebugInformationHandle((int)lookups[at]);
            foreach (var point in reader.GetMethodDebugInformation(method).GetSequencePoints())
            {
                if (point.Offset > (int)lookups[at + 1]) break;
                if (!point.IsHidden) line = point.StartLine;
            }
            sum += (ulong)line;
        }
        return sum;
    }
}
