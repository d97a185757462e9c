// Known faults of the runtime: lines of statements that begin with the result of a call on the stack (dotnet/runtime#128282),
// and a static field that is read where a breakpoint stops (dotnet/runtime#117514).
using System;
using System.Collections.Generic;
using System.Diagnostics;

static class Known
{
    sealed class Nap
    {
        public readonly string Reason;
        public Nap(string reason) => Reason = reason;
    }

    static int naps;
    static string log;

    static IEnumerable<Nap> Each()
    {
        yield return new Nap("noon");
        yield return new Nap(null);
    }

    static string Longest(int number) => number > 0 ? null : "noon";

    static void Iterator()
    {
        foreach (var nap in Each())
        {
            Count(nap.Reason.Length);
        }
    }

    static void Array()
    {
        foreach (var nap in new List<Nap> { new Nap(null) })
        {
            Count(nap.Reason.Length);
        }
    }

    static void Member()
    {
        var longest = Longest(1);
        var length = longest.Length;
        Count(length);
    }

    static void Called()
    {
        var longest = Longest(0);
        var length = longest.Substring(9).Length;
        Count(length);
    }

    static void Count(int length)
    {
        naps += length;
        log += "x";
    }

    // For each method: name, token, IL offset and line of the frame.
    static void Main()
    {
        foreach (var action in new Action[] { Iterator, Array, Member, Called })
        {
            try { action(); }
            catch (Exception error)
            {
                var trace = new StackTrace(error, true);
                var frame = trace.GetFrame(trace.FrameCount - 2);
                Console.WriteLine($"{frame.GetMethod().Name}\t0x{frame.GetMethod().MetadataToken:x8}\t0x{frame.GetILOffset():x}\t{frame.GetFileLineNumber()}");
            }
        }
    }
}
