// Signatures that the samples have none of.
using System;

public unsafe class VariableArguments
{
    static class Target { internal static int field; }

    static void Some(string text, __arglist) { Some("a", __arglist(1, 2.0, "x")); Some("a", __arglist()); }

    static void Only(__arglist)
    {
        Only(__arglist(1));
        Only(__arglist());
        TypedReference reference = __makeref(Target.field);
    }
}

public unsafe class Generic<U>
{
    volatile int modified;
    delegate* unmanaged[Cdecl]<int, ref readonly string, void>[] named;
    delegate*<in int, U[,,], Generic<U[]>> managed;
    delegate* unmanaged[Cdecl, SuppressGCTransition]<void*, int> modifiers;

    public ref readonly int Pinned(in int x, out (int a, string b) y, params int[][,] z)
    {
        y = default;
        fixed (int* p = z[0]) { fixed (char* c = "x") { } }
        throw null;
    }

    public int this[int a, string b] { get => modifiers(null); init { } }

    static void Instantiated<A, B>() { Instantiated<int[], B>(); }
}
