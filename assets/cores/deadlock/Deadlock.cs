using System;
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
    static void Main() {
        var ledger = new Ledger();
        var post = new Thread(ledger.Post);
        var reverse = new Thread(ledger.Reverse);
        post.Start();
        reverse.Start();
        Console.WriteLine("ready");
        post.Join();
    }
}
