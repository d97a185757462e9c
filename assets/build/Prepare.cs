// Lets the runtime compile each method of an assembly that is not generic, or take the code that its image has, and then waits for a line of
// standard input: so a debugger finds the machine code of all of them. Arguments: the path of the assembly, or the name of one of the framework;
// `run`, to run its entry point after that line, or the path of the program to run.
using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;

static class Prepare
{
    const BindingFlags Own = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    static void Main(string[] arguments)
    {
        var path = Path.GetFullPath(arguments[0]);
        AssemblyLoadContext.Default.Resolving += (context, name) =>
        {
            var beside = Path.Combine(Path.GetDirectoryName(path), name.Name + ".dll");
            return File.Exists(beside) ? context.LoadFromAssemblyPath(beside) : null;
        };
        var assembly = File.Exists(path) ? AssemblyLoadContext.Default.LoadFromAssemblyPath(path) : Assembly.Load(arguments[0]);
        int prepared = 0, refused = 0;
        foreach (var type in Types(assembly).Where(type => !type.ContainsGenericParameters))
            foreach (var method in type.GetMethods(Own).Cast<MethodBase>().Concat(type.GetConstructors(Own)).Where(method => !method.ContainsGenericParameters))
                try
                {
                    if (method.GetMethodBody() == null) continue;
                    RuntimeHelpers.PrepareMethod(method.MethodHandle);
                    prepared++;
                }
                catch (Exception) { refused++; }
        Console.WriteLine($"{prepared} methods are prepared, {refused} the runtime refuses");
        Console.ReadLine();
        if (arguments.Length == 1) return;
        var entry = (arguments[1] == "run" ? assembly : AssemblyLoadContext.Default.LoadFromAssemblyPath(arguments[1])).EntryPoint;
        entry.Invoke(null, entry.GetParameters().Length == 0 ? null : new object[] { Array.Empty<string>() });
    }

    static Type[] Types(Assembly assembly)
    {
        try { return assembly.GetTypes(); }
        catch (ReflectionTypeLoadException some) { return some.Types.Where(type => type != null).ToArray(); }
    }
}
