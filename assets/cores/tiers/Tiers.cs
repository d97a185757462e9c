using System;
using System.Runtime.CompilerServices;
using System.Threading;

// Two methods that get a body of each tier: the runtime's settings in assets/build/core.sh make that happen after few rounds.
class Tiers {
    static int total;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Step(int n) {
        return n - 1;
    }

    // The loop begins after the first statement.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Sum(int count) {
        int sum = Step(count);
        for (int i = 0; i < count; i++)
            sum += Step(i) % 7 ^ count;
        return sum;
    }

    // The loop begins at IL_0000.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Down(int count) {
        do {
            count = Step(count);
        } while (count > 0);
        return count;
    }

    static void Main() {
        total += Sum(1) + Down(1);
        Console.WriteLine("ready");
        Console.ReadLine();
        // Once each, long enough for a body in the middle of the loop.
        total += Sum(60);
        total += Down(60);
        // Often enough for the last tier.
        for (int round = 0; round < 40; round++) {
            total += Sum(2) + Down(2);
            Thread.Sleep(10);
        }
        Console.WriteLine("done " + total);
        Console.ReadLine();
    }
}
