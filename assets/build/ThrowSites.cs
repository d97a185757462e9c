// Runs each throw site of an assembly, and prints what the runtime says of each exception: `Exception.ToString()`, also of one that another method throws
// again, and of several together. `--fail-fast SITE` ends the process by Environment.FailFast where a site throws, `--crash SITE` by its exception.
// Arguments: the assembly, then perhaps one of these.
using System; using System.Collections.Generic; using System.IO; using System.Linq; using System.Reflection; using System.Runtime.ExceptionServices; using System.Threading.Tasks;

static class ThrowSites
{
    const BindingFlags Own = BindingFlags.Static | BindingFlags.Public | BindingFlags.DeclaredOnly;

    static void Main(string[] arguments)
    {
        var assembly = Assembly.LoadFrom(Path.GetFullPath(arguments[0]));
        var sites = assembly.GetTypes().First(type => type.Name == "Sites").GetMethods(Own)
            .Where(method => method.GetParameters().Length == 0 && !method.IsGenericMethod && !method.IsSpecialName).OrderBy(method => method.MetadataToken).ToList();
        if (arguments.Length > 1)
        {
            var site = sites.First(method => method.Name == arguments[2]);
            if (arguments[1] == "--fail-fast") AppDomain.CurrentDomain.FirstChanceException += (_, e) => Environment.FailFast(site.Name, e.Exception);
            Call(site);
        }
        if (assembly.EntryPoint is MethodInfo entry) sites.Insert(0, entry);
        var thrown = sites.Select(site => Caught(site)).Where(e => e != null).ToList();
        thrown.Add(Caught(((Action<Exception>)Again).Method, thrown[2]));
        thrown.Add(new AggregateException("Several.", thrown.Take(2)));
        foreach (var e in thrown) Console.WriteLine($"Unhandled exception. {e}\n");
    }

    static void Again(Exception e) => ExceptionDispatchInfo.Capture(e).Throw();

    static Exception Caught(MethodInfo site) => Caught(site, site.GetParameters().Length == 0 ? null : new string[0]);

    static Exception Caught(MethodInfo site, object argument)
    {
        try { Wait(site, argument); Console.Error.WriteLine($"{site.Name}: nothing thrown"); return null; }
        catch (Exception thrown) { return thrown; }
    }

    // Without reflection, whose native code would end the stack.
    static void Call(MethodInfo site)
    {
        if (site.ReturnType == typeof(void)) site.CreateDelegate<Action>()();
        else if (site.ReturnType == typeof(int)) site.CreateDelegate<Func<int>>()();
        else (site.CreateDelegate<Func<object>>()() as Task)?.GetAwaiter().GetResult();
    }

    static void Wait(MethodInfo site, object argument)
    {
        var result = site.Invoke(null, BindingFlags.DoNotWrapExceptions, null, argument == null ? null : new[] { argument }, null);
        if (result is Task task) task.GetAwaiter().GetResult();
        else if (result is ValueTask<int> value) value.AsTask().GetAwaiter().GetResult();
    }
}
