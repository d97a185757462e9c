' In a file of its own: in a file with #ExternalSource, code outside of it has no sequence points.
Partial Public Module Sites
#ExternalSource("Page.aspx", 12)
    Public Sub ExternalSource()
        Fail("line 13 of Page.aspx")
    End Sub
#End ExternalSource
End Module
