// Forms whose text was once taken for another one.
using System; using System.Collections; using System.Collections.Generic; using System.Threading.Tasks;
namespace Language;
public interface ICount { int Add(int by); }
public class Counter : ICount {
    int count;
    int ICount.Add(int by) { count += by; return count; }
    public int Add(int by) { return by; }
    public int Both(int by) {
        // The method of the interface, not the own one.
        return ((ICount)this).Add(by) + Add(by);
    }
    public int Other(Counter other, int by) {
        return ((ICount)other).Add(by);
    }
}
public struct Key {
    public int Number;
    public override string ToString() {
        return base.ToString() ?? "";
    }
}
public class Layouts {
    public bool Exact; IEnumerator<int> rows;
    static bool Same(string a, string b) => string.Equals(a, b, StringComparison.OrdinalIgnoreCase);
    public int Columns(string[] names, string[] others) {
        int i = 0;
        for (; i < names.Length; i++) {
            if (names[i] == others[i])
            { } // the same
            else if (Exact && Same(names[i], others[i]))
            { } // the same but for case
            else
            {
                break;
            }
            Console.WriteLine(names[i]);
        }
        return i;
    }
    public IEnumerable<int> Rows(int most)
    {
        try
        {
            while (most-- > 0 && rows?.MoveNext() == true)
            {
                yield return rows.Current;
            }
        }
        finally
        {
            Console.WriteLine("end");
        }
    }
    public async Task<int> Row(int flags, Task<bool> next) {
        if ((flags & 2) != 0 && await next.ConfigureAwait(false)) {
            return 1;
        }
        return 0;
    }
    public void Heads(IEnumerable<string[]> all) {
        foreach (var names in all) {
            if (names == null)
                continue;

            foreach (var name in names)
                Console.WriteLine(name);
        }
        foreach (var names in all) {
            if (names != null)
                foreach (var name in names)
                    Console.WriteLine(name);
        }
        foreach (var names in all) {
            if (names == null)
                continue;
            for (int i = 0; i < names.Length; i++)
                Console.WriteLine(names[i]);
        }
    }
    public void Ends(IEnumerator<int> other) {
        for (; other.MoveNext();) {
            try {
                Console.WriteLine(other.Current);
            } catch (InvalidOperationException) { /* nothing */ }
        }
        while (other.MoveNext()) { /* to the end */ }
        try { other.Dispose(); }
        catch { /* nothing */ }
    }
}
public static class Formats {
    public static string With(this string format, params object[] values) { return string.Join(format, values); }
    public static string With(this string format, object one) { return format.With(new object[] { one }); }
}
public class Bag { public virtual void Add(object item) { } }
public class Names : Bag {
    public void Add(string item) { Add((object)item); }
}
public enum Kind { None, Some }
public struct Pair<T> {
    public static readonly Pair<T> Empty = new Pair<T>();
    public object Default() { return Pair<string>.Empty; }
    public int Hash(Kind kind) { return ((int)kind).GetHashCode(); }
}
public class Finder {
    readonly Dictionary<int, int> counts = new();
    public List<int> Rows { get; }
    public Finder(int count) {
        Console.WriteLine(count);
        Rows = [];
    }
    ~Finder() {
        Console.WriteLine("end");
    }
    public void Move(int i, int by) {
        counts[i] = counts[i] - by;
        counts[i] -= by;
    }
    public int Name(int kind, string name) {
        name = kind switch { 0 => "none", 1 => "one", _ => kind.ToString() };
        Console.WriteLine(name);
        return name.Length;
    }
    public void Each(int[] rows) {
        if (rows != null) foreach (var row in rows)
        {
            Console.WriteLine(row);
        }
        Console.WriteLine();
    }
    public IEnumerator Keys(IDictionary keys) { return ((IEnumerable)keys).GetEnumerator(); }
    public void Text(ref object value) { value = value != null ? value.ToString() : null; }
    public unsafe int First(int[] table, int[] indices, int i) {
        if ((i & 1) != 0)
        {
            fixed (int* first = &table[indices[i]])
            {
                Move(*first, i);
            }
        }
        return i;
    }
}
