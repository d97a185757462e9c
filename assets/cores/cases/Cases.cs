using System;
using System.Collections.Generic;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

class Inventory {
    readonly Dictionary<string, int> stock = new() { ["a"] = 1 };
    [MethodImpl(MethodImplOptions.NoInlining)]
    public int Take(string name) {
        int left = stock[name];
        return left - 1;
    }
}

static class Broken {
    public static readonly int Value = new Inventory().Take("static");
}

class Cases {
    [DllImport("libc")] static extern int sleep(uint seconds);
    static volatile bool goesOn = true;
    static long total;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Deep(int depth, string name) {
        if (depth == 0)
            return new Inventory().Take(name);
        return Deep(depth - 1, name) + 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static async Task Later() {
        await Task.Delay(10);
        throw new InvalidOperationException("later");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Sort() {
        new List<int> { 3, 2, 1 }.Sort((a, b) => {
            Environment.FailFast("in a comparer");
            return 0;
        });
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Endless(int depth) {
        return Endless(depth + 1) + depth;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Spin() {
        while (goesOn)
            total += total ^ 3;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Native() {
        Console.WriteLine("ready");
        // A signal of the garbage collector ends the sleep.
        while (goesOn)
            sleep(60);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Hot(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += i % 7 ^ count;
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Compile() {
        for (int number = 0; goesOn; number++) {
            var made = new DynamicMethod("made" + number, typeof(int), new[] { typeof(int) });
            var il = made.GetILGenerator();
            for (int i = 0; i < number % 50; i++) {
                il.Emit(OpCodes.Ldarg_0);
                il.Emit(OpCodes.Pop);
            }
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Ret);
            total += made.CreateDelegate<Func<int, int>>()(number);
        }
    }

    static void Main(string[] arguments) {
        switch (arguments[0]) {
            case "unhandled": Deep(3, "b"); break;
            case "async": Later().GetAwaiter().GetResult(); break;
            case "static": Console.WriteLine(Broken.Value); break;
            case "failfast": Sort(); break;
            case "overflow": Endless(0); break;
            case "deep":
                var deep = new Thread(() => total += Endless(0), 128 << 10);
                deep.Start();
                deep.Join();
                break;
            case "native": Native(); break;
            case "spin":
                new Thread(Spin) { IsBackground = true }.Start();
                Native();
                break;
            case "compile":
                new Thread(Compile) { IsBackground = true }.Start();
                Native();
                break;
            case "tiers":
                total += Hot(100_000_000);
                for (int round = 0; round < 40; round++) {
                    for (int i = 0; i < 100; i++)
                        total += Hot(i);
                    Thread.Sleep(20);
                }
                Native();
                break;
        }
    }
}
