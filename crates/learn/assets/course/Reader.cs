// A reader of portable PDBs: README.md has the exercises. `dotnet new console` makes a project of it; delete its Program.cs.

using System;
using System.Collections.Generic;
using System.IO;
using System.Text.Json;

static class Reader
{
    // Exercise 1: new { guid = "6ba7b811-9dad-11d1-80b4-00c04fd430c8" } is an answer.
    static object Guid(byte[] data) => throw new NotImplementedException();

    static object Rsds(byte[] data) => throw new NotImplementedException();

    static object Unsigned(byte[] data) => throw new NotImplementedException();

    static object Signed(byte[] data) => throw new NotImplementedException();

    static object Root(byte[] data) => throw new NotImplementedException();

    static object Msf(byte[] data) => throw new NotImplementedException();

    static object Pdb(byte[] data) => throw new NotImplementedException();

    static object Tables(byte[] data) => throw new NotImplementedException();

    static object Points(byte[] data) => throw new NotImplementedException();

    static object Layout(byte[] data) => throw new NotImplementedException();

    static object Documents(byte[] data) => throw new NotImplementedException();

    static object Methods(byte[] data) => throw new NotImplementedException();

    static object Frames(byte[] data) => throw new NotImplementedException();

    static object Bounds(byte[] data) => throw new NotImplementedException();

    static object Symbols(byte[] data) => throw new NotImplementedException();

    static object Mdb(byte[] data) => throw new NotImplementedException();

    static object C13(byte[] data) => throw new NotImplementedException();

    static object Program(byte[] data) => throw new NotImplementedException();

    static object Addresses(byte[] data) => throw new NotImplementedException();

    static readonly Dictionary<string, Func<byte[], object>> Exercises = new Dictionary<string, Func<byte[], object>>
    {
        ["guid"] = Guid,
        ["rsds"] = Rsds,
        ["unsigned"] = Unsigned,
        ["signed"] = Signed,
        ["root"] = Root,
        ["msf"] = Msf,
        ["pdb"] = Pdb,
        ["tables"] = Tables,
        ["points"] = Points,
        ["layout"] = Layout,
        ["documents"] = Documents,
        ["methods"] = Methods,
        ["frames"] = Frames,
        ["bounds"] = Bounds,
        ["symbols"] = Symbols,
        ["mdb"] = Mdb,
        ["c13"] = C13,
        ["program"] = Program,
        ["addresses"] = Addresses,
    };

    static void Main(string[] files)
    {
        var answers = new Dictionary<string, object>();
        foreach (var file in files)
        {
            var exercise = Path.GetFileName(Path.GetDirectoryName(file));
            var key = exercise + "/" + Path.GetFileNameWithoutExtension(file);
            try
            {
                answers[key] = Exercises[exercise](File.ReadAllBytes(file));
            }
            catch (Exception error)
            {
                if (error is not NotImplementedException) Console.Error.WriteLine(error);
                answers[key] = new { error = error.Message };
            }
        }
        Console.WriteLine(JsonSerializer.Serialize(answers));
    }
}
