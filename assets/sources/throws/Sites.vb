' Throw sites by language feature: each public function of Sites without parameters throws, from code of its feature.
Imports System
Imports System.Collections.Generic
Imports System.Linq
Imports System.Threading.Tasks

Partial Public Module Sites
    Dim zero As Integer = 0
    Dim nothingThere As Object = Nothing
    Dim three As Integer() = {1, 2, 3}

    <System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)>
    Private Function Fail(what As String) As Integer
        Throw New InvalidOperationException(what)
    End Function

    Public Function Divide() As Integer
        Return 10 \ zero
    End Function
    Public Function Index() As Integer
        Dim at = 3 + zero
        Return three(at)
    End Function
    Public Function Null() As String
        Return nothingThere.
            ToString().
            Trim()
    End Function
    Public Function Overflow() As Integer
        Dim most = Integer.MaxValue - zero
        Return most + 1
    End Function
    Public Function Conversion() As Integer
        Return CInt("text")
    End Function
    Public Function LateBound() As Object
        Return nothingThere.Missing
    End Function
    Public Function Cast() As String
        Dim box As Object = three
        Return DirectCast(box, String)
    End Function
    Public Function Continued() As Integer
        Return three(0) +
            Fail("operand") +
            three(1)
    End Function
    Public Function IfOperator() As Integer
        Return If(zero = 0,
            Fail("true"),
            0)
    End Function
    Public Function Interpolation() As String
        Return $"{three(0)} {Fail("hole")}"
    End Function
    Public Sub Colons()
        zero = 0 : Fail("second statement") : zero = 0
    End Sub
    Public Sub SelectCase()
        Select Case three.Length
            Case 1
                zero = 0
            Case 2 To 3
                Fail("case")
            Case Else
                zero = 0
        End Select
    End Sub
    Public Sub SelectSelector()
        Select Case Fail("selector")
            Case 1
                zero = 0
        End Select
    End Sub
    Public Sub IfElse()
        If zero = 1 Then
            zero = 0
        ElseIf Fail("else if") = 1 Then
            zero = 0
        Else
            zero = 0
        End If
    End Sub
    Public Sub SingleLineIf()
        If zero = 0 Then Fail("then") Else zero = 0
    End Sub
    Public Sub ForNext()
        For i = 0 To 10 \ zero
            zero = 0
        Next
    End Sub
    Public Sub ForBody()
        For i = 0 To 3
            If i = 2 Then
                Fail("body")
            End If
        Next i
    End Sub
    Public Sub ForEachBody()
        For Each number In three
            Fail("each")
        Next
    End Sub
    Public Sub WhileLoop()
        While Fail("while") > 0
            zero = 0
        End While
    End Sub
    Public Sub DoLoop()
        Do
            zero = 0
        Loop Until Fail("until") > 0
    End Sub
    Public Sub UsingBlock()
        Using resource = New Resource()
            zero = 0
        End Using
    End Sub
    Public Sub SyncLockNothing()
        SyncLock nothingThere
            zero = 0
        End SyncLock
    End Sub
    Public Sub WithBlock()
        With New Pair()
            .First = 1
            .Second = Fail("with")
        End With
    End Sub
    Public Sub TryFinally()
        Try
            zero = 0
        Finally
            Fail("finally")
        End Try
    End Sub
    Public Sub Rethrow()
        Try
            Fail("first")
        Catch ex As InvalidOperationException
            zero = 0
            Throw
        End Try
    End Sub
    Public Sub FilterWhen()
        Try
            Fail("filtered")
        Catch ex As InvalidOperationException When ex.Message = "other"
            zero = 0
        End Try
    End Sub
    Public Sub OnErrorGoto()
        On Error GoTo Handler
        Fail("on error")
        Exit Sub
Handler:
        Fail("in the handler")
    End Sub
    Public Sub OnErrorResume()
        On Error Resume Next
        Fail("skipped")
        zero = 0
        On Error GoTo 0
        Fail("after resume")
    End Sub
    Public Sub OnErrorResumeLine()
        On Error GoTo Handler
        Fail("again")
        Exit Sub
Handler:
        If zero = 0 Then Throw New ArgumentException("from the handler")
        Resume Next
    End Sub
    Public Sub ErrorStatement()
        Error 13
    End Sub
    Public Sub GoToLabel()
        GoTo Label
        zero = 0
Label:
        Fail("at the label")
    End Sub
    Public Function PropertyGet() As Integer
        Return New Pair().Ratio
    End Function
    Public Sub PropertySet()
        Dim pair As New Pair()
        pair.Ratio = 3
    End Sub
    Public Function DefaultProperty() As Integer
        Dim pair As New Pair()
        Return pair(5)
    End Function
    Public Function Constructed() As Object
        Return New Failing(1)
    End Function
    Public Function FieldInitializer() As Object
        Return New FailingField()
    End Function
    Public Function OperatorCall() As Object
        Return New Pair() + New Pair()
    End Function
    Public Sub RaiseHandler()
        Dim source As New Source()
        AddHandler source.Happened, Sub() Fail("handler")
        source.Happen()
    End Sub
    Public Sub HandlesClause()
        Dim listener As New Listener()
        listener.Begin()
    End Sub
    Public Function LambdaLine() As Integer
        Dim f = Function(x As Integer) x \ zero
        Return f(1)
    End Function
    Public Function LambdaBlock() As Integer
        Dim captured = three(2)
        Dim f = Function()
                    Dim twice = captured * 2
                    Return twice \ zero
                End Function
        Return f()
    End Function
    Public Function Query() As Integer
        Dim found = From x In three
                    Where x \ zero > 1
                    Select x
        Return found.Count()
    End Function
    Public Function Aggregates() As Integer
        Return Aggregate x In three Into Sum(x \ zero)
    End Function
    Public Function XmlLiteral() As Object
        Return New String() {"a", Fail("element").ToString()}
    End Function
    Public Function StaticLocal() As Integer
        Static kept As Integer = Fail("static")
        Return kept
    End Function
    Public Sub ReDims()
        Dim list(2) As Integer
        ReDim Preserve list(zero - 5)
    End Sub
    Public Function Iterates() As Integer
        Return Numbers(3).Sum()
    End Function
    Private Iterator Function Numbers(n As Integer) As IEnumerable(Of Integer)
        For i = 0 To n
            Yield i
            If i = 1 Then
                Fail("iterator")
            End If
        Next
    End Function
    Public Function IteratorFinally() As Integer
        For Each x In WithFinally()
            Return x
        Next
        Return 0
    End Function
    Private Iterator Function WithFinally() As IEnumerable(Of Integer)
        Try
            Yield 1
        Finally
            Fail("iterator finally")
        End Try
    End Function
    Public Async Function AsyncSub() As Task
        Await Task.Yield()
        Fail("async")
    End Function
    Public Async Function AsyncCatch() As Task
        Try
            Await Task.Yield()
            Fail("tried")
        Catch ex As InvalidOperationException
            Throw New ArgumentException("caught")
        Finally
            zero = 0
        End Try
    End Function
    Public Async Function AsyncChain() As Task
        Dim one = Await AsyncValue()
        zero = 0
    End Function
    Private Async Function AsyncValue() As Task(Of Integer)
        Await Task.Yield()
        Return 1 \ zero
    End Function
    Public Async Function AsyncLambda() As Task
        Dim f = Async Function()
                    Await Task.Yield()
                    Fail("async lambda")
                End Function
        Await f()
    End Function
    Public Function GenericCall() As Integer
        Return Generic(Of String).Call("x")
    End Function
    Public Function Optionals() As Integer
        Return WithOptional(second:=0)
    End Function
    Private Function WithOptional(Optional first As Integer = 1, Optional second As Integer = 1) As Integer
        Return first \ second
    End Function
    Public Sub ByRefArgument()
        Dim list As New List(Of Integer)
        Change(list(5))
    End Sub
    Private Sub Change(ByRef x As Integer)
        x = 1
    End Sub
End Module

Public Class Pair
    Public Property First As Integer
    Public Property Second As Integer
    Public Property Ratio As Integer
        Get
            Return First \ Second
        End Get
        Set(value As Integer)
            Throw New NotSupportedException("set")
        End Set
    End Property
    Default Public ReadOnly Property Item(at As Integer) As Integer
        Get
            If at > 3 Then
                Throw New ArgumentOutOfRangeException("at")
            End If
            Return at
        End Get
    End Property
    Public Shared Operator +(a As Pair, b As Pair) As Pair
        Throw New NotSupportedException("operator")
    End Operator
End Class

Public Class Failing
    Public Sub New(x As Integer)
        MyBase.New()
        If x > 0 Then
            Throw New NotSupportedException("constructor")
        End If
    End Sub
End Class

Public Class FailingField
    Public A As Integer = 1
    Public B As Integer = Integer.Parse("no number")
    Public C As Integer = 3
End Class

Public Class Source
    Public Event Happened()
    Public Sub Happen()
        RaiseEvent Happened()
    End Sub
End Class

Public Class Listener
    Private WithEvents Inner As New Source()
    Public Sub Begin()
        Inner.Happen()
    End Sub
    Private Sub OnHappened() Handles Inner.Happened
        Throw New NotSupportedException("handles")
    End Sub
End Class

Public Class Resource
    Implements IDisposable
    Public Sub Dispose() Implements IDisposable.Dispose
        Throw New ObjectDisposedException("resource")
    End Sub
End Class

Public Class Generic(Of T)
    Public Shared Function [Call](x As T) As Integer
        Throw New NotSupportedException(GetType(T).Name)
    End Function
End Class
