using System;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

class Ledger {
    readonly object debit = new(), credit = new();
    public void Post() {
        lock (debit) {
            Thread.Sleep(200);
            lock (credit) Console.WriteLine("posted");
        }
    }
    public void Reverse() {
        lock (credit) {
            Thread.Sleep(200);
            lock (debit) Console.WriteLine("reversed");
        }
    }
}

class Program {
    [DllImport("dbghelp")] static extern bool MiniDumpWriteDump(IntPtr process, uint id, IntPtr file, int type, IntPtr exception, IntPtr user, IntPtr callback);
    [DllImport("kernel32")] static extern IntPtr GetCurrentProcess();
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Hot(int count) {
        int sum = 0;
        for (int i = 0; i < count; i++)
            sum += i % 7 ^ count;
        return sum;
    }
    static void Main(string[] a) {
        var ledger = new Ledger();
        new Thread(ledger.Post) { IsBackground = true }.Start();
        new Thread(ledger.Reverse) { IsBackground = true }.Start();
        int total = Hot(100_000_000);
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < 100; i++) total += Hot(i);
            Thread.Sleep(20);
        }
        Console.WriteLine("ready " + total);
        using var file = File.Create(a[0]);
        bool done = MiniDumpWriteDump(GetCurrentProcess(), (uint)Environment.ProcessId, file.SafeFileHandle.DangerousGetHandle(), int.Parse(a[1]), 0, 0, 0);
        Console.WriteLine(done + " " + Marshal.GetLastWin32Error());
    }
}
