// Throw sites by language feature: each static method of Sites without parameters throws, from code of its feature.
using System.Collections;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;

// Top-level statements: the runner calls the entry point by its name.
var words = args.Length > 5 ? args : ["top", "level"];
foreach (var word in words)
{
    if (word == "level")
        throw new InvalidOperationException(
            word);
}

public static class Sites
{
    static int zero = 0;
    static object? nothing = null;
    static int[] three = [1, 2, 3];

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Fail(string what) => throw new InvalidOperationException(what);

    // Expressions.
    public static int Divide() => 10 / zero;
    public static int Index()
    {
        var index = 3 + zero;
        return three[index];
    }
    public static string Null()
    {
        var text = nothing;
        return text!
            .ToString()!
            .Trim();
    }
    public static int Cast() { object text = "text"; return (int)text; }
    public static int Checked() { var most = int.MaxValue - zero; return checked(most + 1); }
    public static int ThrowExpression() => three.Length > 3 ? 1 : throw new ArgumentException("expression");
    public static string Coalesce() => nothing as string ?? throw new ArgumentNullException("coalesce");
    public static int SwitchExpression() => three.Length switch
    {
        1 => 1,
        2 => 2,
        3 when zero == 0 => Fail("arm"),
        _ => 0,
    };
    public static int SwitchWithout() => three.Length switch { 1 => 1, 2 => 2 };
    public static int SwitchStatement()
    {
        switch (three.Length)
        {
            case 1:
                return 1;
            case 3 when zero == 0:
                return Fail("case");
            default:
                return 0;
        }
    }
    public static int GotoCase()
    {
        switch (three[1])
        {
            case 2: goto case 3;
            case 3:
                var x = 1;
                return x / zero;
        }
        return 0;
    }
    public static bool Pattern() => nothing is not { } && three is [1, .., var last] && last / zero > 0;
    public static string Interpolation() => $"{three[0]} {Fail("hole")} {three[1]}";
    public static int MultiLine() =>
        three[0] +
        three[1] *
        Fail("operand") +
        three[2];
    public static int Arguments()
    {
        return Math.Max(
            three[0],
            Fail("argument"));
    }
    public static int[] Spread() => [.. three, .. Enumerable.Range(0, 2).Select(x => x / zero)];
    public static int Ternary() => zero == 0
        ? Fail("true")
        : Fail("false");
    public static (int, int) Tuple() => (three[0],
        Fail("second"));
    public static object With() => new Pair(1, 2) with { Second = Fail("with") };
    public static int Range() => three[1..(5 + zero)].Length;
    public static unsafe int Stack() { Span<int> span = stackalloc int[2]; return span[2 + zero]; }
    public static int RefLocal() { ref var first = ref three[zero + 3]; return first; }

    // Statements.
    public static void Using()
    {
        using var resource = new Resource();
        Fail("inside using");
    }
    public static void UsingDispose()
    {
        using (new Resource(true))
        {
            zero = 0;
        }
    }
    public static void Foreach()
    {
        foreach (var number in three)
            Fail(number.ToString(CultureInfo.InvariantCulture));
    }
    public static void ForeachNext()
    {
        foreach (var number in new Numbers())
        {
            zero = 0;
        }
    }
    public static void For()
    {
        for (var i = 0; i < 10 / zero; i++)
            zero = 0;
    }
    public static void ForStep()
    {
        for (var i = 0; i < 3; i += Fail("step"))
            zero = 0;
    }
    public static void While()
    {
        var i = 3;
        while (i / zero > 0)
        {
            i--;
        }
    }
    public static void Do()
    {
        do
        {
            zero = 0;
        } while (Fail("condition") > 0);
    }
    public static void Lock()
    {
        lock (three)
        {
            Fail("locked");
        }
    }
    public static void LockNull()
    {
        lock (nothing!)
        {
            zero = 0;
        }
    }
    public static void Finally()
    {
        try
        {
            zero = 0;
        }
        finally
        {
            Fail("finally");
        }
    }
    public static void Rethrow()
    {
        try
        {
            Fail("first");
        }
        catch (InvalidOperationException)
        {
            zero = 0;
            throw;
        }
    }
    public static void ThrowAgain()
    {
        try
        {
            Fail("first");
        }
        catch (InvalidOperationException e)
        {
            throw new ArgumentException("again", e);
        }
    }
    public static void Filter()
    {
        try
        {
            Fail("filtered");
        }
        catch (InvalidOperationException e) when (e.Message == "none" || three[0] / (zero + 1) > 5)
        {
            zero = 0;
        }
    }
    public static void FilterThrows()
    {
        try
        {
            Fail("outer");
        }
        catch (InvalidOperationException) when (1 / zero == 1)
        {
            zero = 0;
        }
    }
    public static void Fixed()
    {
        unsafe { fixed (int* first = three) { *first = Fail("fixed"); } }
    }
    public static void Goto()
    {
        var i = 0;
    again:
        if (i++ < 2) goto again;
        Fail("after goto");
    }

    // Members.
    public static int Property() => new Pair(1, 0).Ratio;
    public static int Indexer() => new Numbers()[zero - 1];
    public static object Constructor() => new Failing(three[0]);
    public static object Initializer() => new FailingField();
    public static object PrimaryBase() => new Derived(zero);
    public static int StaticConstructor() => FailingStatic.Value;
    public static object Operator() => new Pair(1, 2) + new Pair(3, 4);
    public static int Conversion() => new Pair(1, 2);
    public static void Event() { Raised += () => Fail("handler"); Raised(); Raised = null; }
    static event Action? Raised;
    public static string Virtual() => ((object)new Pair(1, 2)).ToString()!;
    public static int Explicit() => ((IEnumerator<int>)new Numbers.Walk()).Current;
    public static int DefaultMember() => ((IDefault)new Resource()).Member();
    public static int Static() => Generic<string>.Call("static");
    public static int GenericMethod() => Generic<int>.Deep<string>(1);
    public static int ExtensionMethod() => three.Last2();
    public static int ExtensionProperty() => three.Half;
    public static int ExtensionStatic() => int.Broken(1);
    public static int FieldKeyword() => new Backed { Value = -1 }.Value;
    public static int NullAssign() { Backed? box = new(); box?.Value = -2; return 0; }

    // Functions.
    public static int Lambda() { Func<int, int> f = x => x / zero; return f(1); }
    public static int LambdaBlock()
    {
        var captured = three[2];
        Func<int> f = () =>
        {
            var twice = captured * 2;
            return twice / zero;
        };
        return f();
    }
    public static int Local()
    {
        return Inner(1);
        int Inner(int x)
        {
            return x / zero;
        }
    }
    public static int LocalStatic() { return Inner(1); static int Inner(int x) => x / zero; }
    public static int LocalGeneric() { return Inner("x"); static int Inner<T>(T x) where T : class => Fail(x.ToString()!); }
    public static int Recursive() => Down(3);
    static int Down(int n) => n == 0 ? Fail("bottom") : Down(n - 1) + 1;
    public static int Query() => (from x in three where x / zero > 1 select x).Count();
    public static int QueryLet() => (from x in three let y = Fail("let") orderby y select y).First();
    public static int Expression()
    {
        System.Linq.Expressions.Expression<Func<int, int>> tree = x => Fail("tree");
        return tree.Compile()(1);
    }
    public static int MethodGroup() => three.Select(Break).Sum();
    static int Break(int x) => x / zero;
    public static object Delegate() { Func<string, int> f = Fail; return f.DynamicInvoke("dynamic")!; }

    // Iterators and async.
    public static int Iterator() => Yields(3).Sum();
    static IEnumerable<int> Yields(int n)
    {
        for (var i = 0; i < n; i++)
        {
            yield return i;
            if (i == 1)
                Fail("iterator");
        }
    }
    public static int IteratorFinally() => WithFinally().First();
    static IEnumerable<int> WithFinally()
    {
        try
        {
            yield return 1;
            yield return 2;
        }
        finally
        {
            Fail("iterator finally");
        }
    }
    public static int IteratorUsing()
    {
        foreach (var x in WithUsing())
            return x;
        return 0;
    }
    static IEnumerable<int> WithUsing()
    {
        using (new Resource(true))
        {
            yield return 1;
        }
    }
    public static async Task Async()
    {
        await Task.Yield();
        Fail("async");
    }
    public static async Task<int> AsyncValue()
    {
        var one = await Task.FromResult(1);
        return one / zero;
    }
    public static async Task AsyncCatch()
    {
        try
        {
            await Task.Yield();
            Fail("tried");
        }
        catch (InvalidOperationException)
        {
            await Task.Yield();
            throw;
        }
    }
    public static async Task AsyncFinally()
    {
        try
        {
            await Task.Yield();
        }
        finally
        {
            await Task.Yield();
            Fail("async finally");
        }
    }
    public static async Task AsyncChain()
    {
        await First();
        async Task First()
        {
            await Second(1);
            async Task Second(int x)
            {
                await Task.Yield();
                Fail("chain" + x);
            }
        }
    }
    public static async Task AsyncForeach()
    {
        await foreach (var x in Streams())
            zero = 0;
    }
    static async IAsyncEnumerable<int> Streams()
    {
        yield return 1;
        await Task.Yield();
        Fail("stream");
    }
    public static async Task AsyncUsing()
    {
        await using var resource = new Resource(true);
        await Task.Yield();
    }
    public static async Task AsyncLambda()
    {
        Func<Task> f = async () =>
        {
            await Task.Yield();
            Fail("async lambda");
        };
        await f();
    }
    public static async Task WhenAll() => await Task.WhenAll(Async(), Task.CompletedTask);
    public static async ValueTask<int> ValueTasks() => await Later() / zero;
    static async ValueTask<int> Later() { await Task.Yield(); return 1; }
    public static Task NotAsync() => Task.Run(() => Fail("pool"));

    // Directives and attributes.
    public static void LineNumber()
    {
#line 500
        Fail("line 500");
#line default
    }
    public static void LineFile()
    {
#line 7 "Other.razor"
        Fail("line 7 of Other.razor");
#line default
    }
    public static void LineHidden()
    {
        zero = 0;
#line hidden
        Fail("hidden");
#line default
    }
    public static void LineHiddenFirst()
#line hidden
    {
        Fail("hidden from the start");
#line default
        zero = 0;
    }
    public static void LineSpan()
    {
#line (30, 5) - (31, 20) 9 "Page.razor"
        Fail("span of Page.razor");
#line default
    }
    public static void TwoDocuments()
    {
        zero = 0;
#line 3 "Second.razor"
        zero = 0;
        Fail("line 4 of Second.razor");
#line default
    }
    [StackTraceHidden]
    static int HiddenHelper() => Fail("below hidden");
    public static int TraceHidden() => HiddenHelper();
    [DebuggerHidden]
    static int DebugHidden() => Fail("below debugger hidden");
    public static int CallsDebugHidden() => DebugHidden();
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static int Inlined(int x)
    {
        return x / zero;
    }
    public static int CallsInlined() => Inlined(5);
    public static void Unnamed() { var x = new { A = Fail("anonymous") }; }
    public static int Dynamic() { dynamic d = three; return d.Missing; }
    public static int IteratorReset() { Yields(1).GetEnumerator().Reset(); return 0; }
    public static int IteratorOfGeneric() => Generic<string>.Walk(zero).Sum();
    public static async Task AsyncForeachFinally()
    {
        await foreach (var x in StreamsFinally())
            break;
    }
    static async IAsyncEnumerable<int> StreamsFinally()
    {
        try
        {
            yield return 1;
        }
        finally
        {
            await Task.Yield();
            Fail("stream finally");
        }
    }
    public static int Attributed() => typeof(Marked).GetCustomAttributes(false).Length;
}

public record Pair(int First, int Second)
{
    public int Ratio
    {
        get { return First / Second; }
    }
    public static Pair operator +(Pair a, Pair b)
    {
        throw new NotSupportedException("operator");
    }
    public static implicit operator int(Pair pair) => throw new NotSupportedException("conversion");
    public override string ToString() => throw new NotSupportedException("ToString");
}

public interface IDefault
{
    int Member()
    {
        throw new NotSupportedException("default member");
    }
}

public sealed class Resource(bool fails = false) : IDisposable, IAsyncDisposable, IDefault
{
    public void Dispose()
    {
        if (fails)
            throw new ObjectDisposedException("resource");
    }
    public async ValueTask DisposeAsync()
    {
        await Task.Yield();
        if (fails)
            throw new ObjectDisposedException("async resource");
    }
}

public sealed class Numbers : IEnumerable<int>
{
    public int this[int index]
    {
        get
        {
            ArgumentOutOfRangeException.ThrowIfNegative(index);
            return index;
        }
    }
    public IEnumerator<int> GetEnumerator() => new Walk();
    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
    public sealed class Walk : IEnumerator<int>
    {
        public bool MoveNext() => throw new InvalidOperationException("next");
        int IEnumerator<int>.Current => throw new InvalidOperationException("current");
        object IEnumerator.Current => 0;
        public void Reset() { }
        public void Dispose() { }
    }
}

public class Failing
{
    readonly int value = 1;
    public Failing(int x)
    {
        value = x;
        if (value > 0)
            throw new NotSupportedException("constructor");
    }
}

public class FailingField
{
    public int A = 1;
    public int B = int.Parse("no number", CultureInfo.InvariantCulture);
    public int C = 3;
}

public class Base(int x)
{
    public int Checked { get; } = x == 0 ? throw new ArgumentException("primary") : x;
}

public class Derived(int x) : Base(x);

public static class FailingStatic
{
    public static int Value = int.Parse("static", CultureInfo.InvariantCulture);
}

public static class Generic<T>
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Call(T x)
    {
        throw new NotSupportedException(typeof(T).Name);
    }
    public static IEnumerable<int> Walk(int x)
    {
        yield return 1;
        yield return 1 / x;
    }
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Deep<U>(T x)
    {
        Func<int> inner = () => throw new NotSupportedException(typeof(U).Name);
        return inner();
    }
}

public static class Extensions
{
    public static int Last2(this int[] numbers)
    {
        return numbers[numbers.Length];
    }
    extension(int[] numbers)
    {
        public int Half
        {
            get
            {
                return numbers[numbers.Length + 1] / 2;
            }
        }
    }
    extension(int)
    {
        public static int Broken(int x) => throw new NotSupportedException("static extension");
    }
}

public class Backed
{
    public int Value
    {
        get;
        set
        {
            field = value >= 0 ? value : throw new ArgumentOutOfRangeException(nameof(value));
        }
    }
}

[AttributeUsage(AttributeTargets.Class)]
public sealed class FailingAttribute : Attribute
{
    public FailingAttribute() => throw new NotSupportedException("attribute");
}

[Failing]
public class Marked;
