using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

static class Native {
    [DllImport("worker")] static extern int work(IntPtr stop);
    [DllImport("dbghelp")] static extern bool MiniDumpWriteDump(IntPtr process, uint id, IntPtr file, int type, IntPtr exception, IntPtr user, IntPtr callback);
    [DllImport("kernel32")] static extern IntPtr GetCurrentProcess();
    static void Turn() {
        var stop = Marshal.AllocHGlobal(4);
        Marshal.WriteInt32(stop, 0);
        int turned = work(stop);
        Console.WriteLine(turned);
    }
    static void Main(string[] a) {
        new Thread(Turn) { IsBackground = true }.Start();
        Thread.Sleep(500);
        Console.WriteLine("ready");
        using var file = File.Create(a[0]);
        bool done = MiniDumpWriteDump(GetCurrentProcess(), (uint)Environment.ProcessId, file.SafeFileHandle.DangerousGetHandle(), int.Parse(a[1]), 0, 0, 0);
        Console.WriteLine(done + " " + Marshal.GetLastWin32Error());
    }
}
