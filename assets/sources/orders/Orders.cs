using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

static class Orders
{
    static async Task<int> LoadAsync(int id)
    {
        await Task.Delay(1);
        return id * 2;
    }

    static IEnumerable<int> Open(IEnumerable<int> all)
    {
        foreach (int order in all)
            if (order > 0)
                yield return order;
    }

    // The method that the second build adds, with everything that the compiler makes of it.
#if AFTER
    static async Task<int> CountAsync(IEnumerable<int> all, int limit)
    {
        await Task.Delay(1);
        return all.Where(order => order < limit).Select(order => order + 1).Count();
    }

#endif
    static int Total(IEnumerable<int> all, int rate)
    {
        int Taxed(int order) => order + order * rate / 100;
        return all.Select(Taxed).Where(order => order > 1).Sum(order => order - rate);
    }

    static async Task Main()
    {
        Console.WriteLine(Total(Open(new[] { 1, await LoadAsync(2) }), 20));
    }
}
