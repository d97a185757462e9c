using System;
using System.Threading;

namespace Hot;

static class Program
{
    static long state = 1;

    static int Main(string[] args)
    {
        var seconds = args.Length > 0 ? int.Parse(args[0]) : 3;
        var until = Environment.TickCount64 + seconds * 1000;
        long sum = 0;
        while (Environment.TickCount64 < until)
        {
            sum += Mix(20000);
            sum += Text(20);
            sum ^= state;
        }
        Console.WriteLine(sum);
        return 0;
    }

    static long Mix(int rounds)
    {
        var value = state;
        for (var round = 0; round < rounds; round++)
        {
            value ^= value << 7;
            value = value % 1000003 * 31 % 99991 / 7;
            value++;
        }
        state = value;
        return value;
    }

    static int Text(int rounds)
    {
        var text = "";
        for (var round = 0; round < rounds; round++)
        {
            text += round;
        }
        return text.Length;
    }
}
