using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Outage
{
    // Ends in the middle of work, so that the runtime writes a report of the crash: `overflow` by unbounded recursion,
    // anything else by FailFast below a lambda, a generic method, an iterator and an async method, while another thread waits.
    internal static class Program
    {
        private static void Main(string[] args)
        {
            if (args.Length > 0 && args[0] == "overflow")
            {
                Console.WriteLine(Recursion.Even(1));
            }
            using var gate = new ManualResetEventSlim();
            var watcher = new Thread(() => Watch(gate)) { IsBackground = true };
            watcher.Start();
            gate.Wait();
            new Batch<string>(new[] { "north", "south" }).Run(item => Deliver(item).Wait());
        }

        private static void Watch(ManualResetEventSlim gate)
        {
            void Park()
            {
                gate.Set();
                Thread.Sleep(Timeout.Infinite);
            }
            Park();
        }

        private static async Task Deliver(string item)
        {
            foreach (var part in Parts(item))
            {
                await Task.CompletedTask;
                Console.WriteLine(part);
            }
        }

        private static IEnumerable<string> Parts(string item)
        {
            yield return item;
            Environment.FailFast("no more parts of " + item);
        }
    }

    internal sealed class Batch<T>
    {
        private readonly T[] items;

        internal Batch(T[] items) => this.items = items;

        internal void Run(Action<T> action)
        {
            foreach (var item in items)
            {
                action(item);
            }
        }
    }

    internal static class Recursion
    {
        internal static int Even(int n)
        {
            var odd = Odd(n + 1);
            return odd + 1;
        }

        private static int Odd(int n) => Even(n + 1) - 1;
    }
}
