// A program whose statements say how often they run: "runs N" at the end of a line is about all statements that begin on it.
// It keeps no result in static fields: with a breakpoint on such a statement .NET 10 computes another result (dotnet/runtime#117514).
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

static class Hits
{
    static void Main()
    {
        var sum = Loops(3);                                             // runs 1
        sum += Choices(new[] { 0, 1, 2, 3, 2 });                        // runs 1
        sum += Handlers(4);                                             // runs 1
        sum += Iterate(3);                                              // runs 1
        sum += Lambdas(2);                                              // runs 1
        sum += Generic(1, 2) + Generic("a", "b").Length;                // runs 1
        sum += Wait(3).GetAwaiter().GetResult();                        // runs 1
        if (sum < 0)                                                    // runs 1
            Never(sum);                                                 // runs 0
        Console.WriteLine(sum);                                         // runs 1
    }

    static void Never(int value)
    {
        Console.WriteLine(value);                                       // runs 0
    }

    static int Loops(int rounds)
    {
        var sum = 0;                                                    // runs 1
        var left = rounds;                                              // runs 1
        while (true)
        {
            if (left == 0)                                              // runs 4
                break;                                                  // runs 1
            left--;                                                     // runs 3
            if (left == 1)                                              // runs 3
                continue;                                               // runs 1
            sum += left;                                                // runs 2
        }
        do
        {
            sum++;                                                      // runs 5
        } while (sum < 7);                                              // runs 5
        foreach (var text in new[] { "a", "bc" })
        {
            sum += text.Length;                                         // runs 2
        }
        object first = new object(), second = new object();
        Console.Out.Write(ReferenceEquals(first, second) ? "" : "");    // runs 1
        return sum;                                                     // runs 1
    }

    static int Choices(int[] values)
    {
        var sum = 0;                                                    // runs 1
        for (var index = 0; index < values.Length; index++)
        {
            switch (values[index])                                      // runs 5
            {
                case 0:
                    sum += 1;                                           // runs 1
                    break;                                              // runs 1
                case 1:
                    sum += 10;                                          // runs 1
                    break;                                              // runs 1
                case 2:
                    sum += 100;                                         // runs 2
                    break;                                              // runs 2
                default:
                    sum += Many(values[index]);                         // runs 1
                    break;                                              // runs 1
            }
        }
        sum += Many(0);                                                 // runs 1
        return sum;                                                     // runs 1
    }

    // More than four returns, which a release build merges.
    static int Many(int value)
    {
        if (value == 0)                                                 // runs 2
            return 5;                                                   // runs 1
        if (value == 1)                                                 // runs 1
            return 6;                                                   // runs 0
        if (value == 2)                                                 // runs 1
            return 7;                                                   // runs 0
        if (value == 3)                                                 // runs 1
            return 8;                                                   // runs 1
        if (value == 4)                                                 // runs 0
            return 9;                                                   // runs 0
        return value;                                                   // runs 0
    }

    static int Handlers(int rounds)
    {
        var sum = 0;                                                    // runs 1
        for (var round = 0; round < rounds; round++)
        {
            try
            {
                if (round % 2 == 0)                                     // runs 4
                    throw new InvalidOperationException("even");        // runs 2
                sum += 1;                                               // runs 2
            }
            catch (InvalidOperationException caught) when (caught.Message.Length == 4)
            {
                sum += 10;                                              // runs 2
            }
            catch (Exception)
            {
                sum += 1000;                                            // runs 0
            }
            finally
            {
                sum += 100;                                             // runs 4
            }
        }
        return sum;                                                     // runs 1
    }

    static IEnumerable<int> Numbers(int count)
    {
        for (var number = 0; number < count; number++)
        {
            if (number == 1)                                            // runs 3
                yield return 50;                                        // runs 1
            yield return number;                                        // runs 3
        }
    }

    static int Iterate(int count)
    {
        var sum = 0;                                                    // runs 1
        foreach (var number in Numbers(count))
        {
            sum += number;                                              // runs 4
        }
        return sum;                                                     // runs 1
    }

    static int Lambdas(int factor)
    {
        Func<int, int> times = value =>
        {
            var product = value * factor;                               // runs 3
            return product;                                             // runs 3
        };
        int Twice(int value)
        {
            var doubled = times(value);                                 // runs 2
            return doubled + doubled;                                   // runs 2
        }
        var sum = times(1);                                             // runs 1
        sum += Twice(2) + Twice(3);                                     // runs 1
        return sum;                                                     // runs 1
    }

    static T Generic<T>(T first, T second)
    {
        if (EqualityComparer<T>.Default.Equals(first, second))          // runs 2
            return first;                                               // runs 0
        return second;                                                  // runs 2
    }

    static async Task<int> Wait(int rounds)
    {
        var sum = 0;                                                    // runs 1
        for (var round = 0; round < rounds; round++)
        {
            await Task.Yield();                                         // runs 3
            sum += await Task.FromResult(round);                        // runs 3
        }
        return sum;                                                     // runs 1
    }
}
