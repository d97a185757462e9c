// Throw sites by language feature: each function of Sites without parameters throws, from code of its feature.
module Throws.Sites

open System
open System.Collections.Generic
open System.Threading.Tasks
open System.Runtime.CompilerServices

let mutable zero = 0
let three = [| 1; 2; 3 |]
let nothing: string = null

exception Custom of string * int

[<MethodImpl(MethodImplOptions.NoInlining)>]
let fail (what: string) : int = raise (InvalidOperationException what)

let (|Even|Odd|) n = if n / (zero + 1) % 2 = 0 then Even else Odd
let (|Broken|_|) (n: int) =
    if n > 0 then
        Some(fail "active pattern")
    else
        None
let (|Parsed|) (text: string) = Int32.Parse text

type Shape =
    | Circle of float
    | Square of side: int
    member this.Area =
        match this with
        | Circle r -> r
        | Square side -> float (side / zero)

type Pair =
    { First: int
      Second: int }
    member this.Ratio = this.First / this.Second
    static member (+)(a: Pair, b: Pair) : Pair =
        raise (NotSupportedException "operator")

type Failing(x: int) =
    let doubled = x * 2
    do
        if doubled > 0 then
            raise (NotSupportedException "constructor")
    member this.Doubled = doubled

type Resource() =
    interface IDisposable with
        member this.Dispose() =
            raise (ObjectDisposedException "resource")

type Indexed() =
    member this.Item
        with get (i: int) : int =
            if i > 3 then
                raise (ArgumentOutOfRangeException "i")
            i

let divide () = 10 / zero
let index () =
    let at = 3 + zero
    three.[at]
let nullText () =
    nothing
        .ToString()
        .Trim()
let failwithCall () : int =
    failwith "failwith"
let failwithfCall () : int = failwithf "failwithf %d" 3
let invalidArgument () : int = invalidArg "name" "message"
let customException () : int = raise (Custom("custom", 1))
let matchArm () =
    match three.Length with
    | 1 -> 1
    | 3 ->
        fail "arm"
    | _ -> 0
let matchGuard () =
    match three.[0] with
    | n when fail "guard" = n -> 1
    | _ -> 0
let incomplete () =
    match three.Length with
    | 1 -> 1
    | 2 -> 2
let matchUnion () = (Square 3).Area
let activePattern () =
    match three.[0] with
    | Broken n -> n
    | _ -> 0
let activeComplete () =
    match three.[1] with
    | Even -> fail "even"
    | Odd -> 0
let activeParsed () =
    let (Parsed n) = "no number"
    n
let listPattern () =
    let [ a; b ] = [ 1; 2; 3 + zero ]
    a + b
let ifElse () =
    if three.Length = 3 then
        fail "then"
    else
        0
let pipeline () =
    three
    |> Array.map (fun x -> x + 1)
    |> Array.map (fun x ->
        let y = x - 2
        x / zero + y)
    |> Array.sum
let composed () =
    let both = string >> fun text -> fail text
    both 1
let lambda () =
    let f = fun x -> x / zero
    f 1
let closure () =
    let captured = three.[2]
    let inner () =
        let twice = captured * 2
        twice / zero
    inner ()
let recursive () =
    let rec down n = if n = 0 then fail "bottom" else down (n - 1) + 1
    down 3
let tailCall () =
    let rec loop n acc =
        if n = 0 then acc / zero else loop (n - 1) (acc + n)
    loop 3 0
let partial () =
    let add a b = a / zero + b
    let one = add 1
    one 2
let forLoop () =
    for i in 0 .. 3 do
        if i = 2 then
            fail "body" |> ignore
let forIn () =
    for x in [ 1; 2 ] do
        fail "in" |> ignore
let whileLoop () =
    while fail "condition" > 0 do
        zero <- 0
let tryWith () =
    try
        fail "tried"
    with
    | :? ArgumentException -> 0
let tryWithAgain () =
    try
        fail "first"
    with e ->
        raise (ArgumentException("again", e))
let tryReraise () =
    try
        fail "first"
    with _ ->
        zero <- 0
        reraise ()
let tryFinally () =
    try
        zero <- 0
    finally
        fail "finally" |> ignore
let useBinding () =
    use resource = new Resource()
    zero <- 0
let usingFunction () = using (new Resource()) (fun _ -> 0)
let recordProperty () = { First = 1; Second = 0 }.Ratio
let recordCopy () =
    { { First = 1; Second = 2 } with
        Second = fail "with" }
let operatorCall () =
    { First = 1; Second = 2 } + { First = 3; Second = 4 }
let constructed () = Failing 1
let indexer () = Indexed().[5]
let objectExpression () =
    let comparer =
        { new IComparer<int> with
            member this.Compare(a, b) =
                fail "compare" }
    comparer.Compare(1, 2)
let sequence () =
    let numbers =
        seq {
            yield 1
            yield fail "sequence"
        }
    Seq.sum numbers
let sequenceFor () =
    seq {
        for x in three do
            if x = 2 then
                yield x / zero
            yield x
    }
    |> Seq.length
let sequenceUse () =
    seq {
        use resource = new Resource()
        yield 1
    }
    |> Seq.head
let listComprehension () =
    [ for x in three do
          yield x / zero ]
let arrayComprehension () = [| for x in three -> x / zero |]
let asyncBlock () =
    async {
        do! Async.Sleep 1
        return fail "async"
    }
    |> Async.RunSynchronously
let asyncBind () =
    let inner =
        async {
            do! Async.Sleep 1
            return 1 / zero
        }
    async {
        let! one = inner
        return one
    }
    |> Async.RunSynchronously
let asyncTry () =
    async {
        try
            do! Async.Sleep 1
            return fail "tried"
        with :? ArgumentException ->
            return 0
    }
    |> Async.RunSynchronously
let asyncTask () =
    async { return fail "task" } |> Async.StartAsTask :> Task
let lazyValue () =
    let value = lazy (fail "lazy")
    value.Force()
let inlined () =
    let inline half x = x / zero
    half 3
let printed () = sprintf "%d" (fail "argument")
let tupled () =
    let a, b =
        three.[0],
        fail "second"
    a + b
let shadowed () =
    let x = three.[0]
    let x = x / zero
    x
let mutableRef () =
    let cell = ref 0
    cell := fail "assigned"
    !cell
let assertFalse () =
    let value = Option.get (None: int option)
    value
let mapFind () = Map.find 3 (Map.ofList [ 1, 1 ])
let units () =
    zero <- 0; fail "second on a line" |> ignore; zero <- 0
let lineDirective () =
    zero <- 0
# 40 "Other.fs"
    fail "line 40 of Other.fs"
