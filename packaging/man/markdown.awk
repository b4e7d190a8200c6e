# Converts the Markdown of docs/ to a manual page: headings, paragraphs, lists, tables, code.
#
#   awk -v name=memwarnd-protocol -v section=7 -v date="May 1, 2026" -v about="what it is" -f markdown.awk docs/PROTOCOL.md
#
# The page is for man(7), with its tables for tbl(1).

# Converts the marks in a text to fonts, after escaping characters that are special in roff.
function inline(text,    part, out, count, i) {
    gsub(/\\/, "\\e", text)
    # Keeps only the words of a link.
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
        out = substr(text, RSTART + 1, RLENGTH - 1)
        sub(/\].*/, "", out)
        text = substr(text, 1, RSTART - 1) out substr(text, RSTART + RLENGTH)
    }
    count = split(text, part, "`")
    out = ""
    for (i = 1; i <= count; i++) {
        if (i % 2 == 0) {
            gsub(/-/, "\\-", part[i])
            out = out "\\fB" part[i] "\\fR"
        } else {
            while (match(part[i], /\*\*[^*]+\*\*/))
                part[i] = substr(part[i], 1, RSTART - 1) "\\fB" substr(part[i], RSTART + 2, RLENGTH - 4) "\\fR" \
                    substr(part[i], RSTART + RLENGTH)
            out = out part[i]
        }
    }
    # Escapes a line that begins like a roff request.
    return out ~ /^[.']/ ? "\\&" out : out
}

# Begins a paragraph, unless a heading has begun it.
function paragraph() {
    if (!is_headed) print ".PP"
    is_headed = 0
}

function heading(macro, title) {
    flush_text()
    print macro " " title
    is_headed = 1
}

function item(mark, words) {
    flush_text()
    print ".IP " mark
    text = words
    is_headed = 0
}

# Prints the collected text of a paragraph or an item, whose marks may begin on one line and end on another.
function flush_text() {
    if (text != "") print inline(text)
    text = ""
}

# Stores the cells of a row in cell[], and returns their number.
function cells(row,    count, i) {
    sub(/^\|/, "", row)
    sub(/\|[ ]*$/, "", row)
    count = split(row, cell, "|")
    for (i = 1; i <= count; i++) gsub(/^ +| +$/, "", cell[i])
    return count
}

# Prints the collected table. The second row has the alignment of columns, and the widest column is broken into lines.
function flush_table(    columns, widest, width, format, line, r, i) {
    if (rows == 0) return
    columns = cells(row[2])
    for (i = 1; i <= columns; i++) format = format (cell[i] ~ /:$/ ? "r" : "l") (i < columns ? " " : "")
    for (r = 1; r <= rows; r++) {
        cells(row[r])
        for (i = 1; i <= columns; i++)
            if (r != 2 && length(cell[i]) > width) {
                width = length(cell[i])
                widest = i
            }
    }
    paragraph()
    print ".TS"
    print substr(format, 1, 2 * widest - 1) "x" substr(format, 2 * widest) "."
    for (r = 1; r <= rows; r++) {
        if (r == 2) continue
        cells(row[r])
        line = ""
        for (i = 1; i <= columns; i++) {
            content = inline(cell[i])
            if (r == 1 && content != "") content = "\\fI" content "\\fR"
            if (i == widest && content != "") content = "T{\n" content "\nT}"
            line = line (i > 1 ? "\t" : "") content
        }
        print line
    }
    print ".TE"
    rows = 0
}

BEGIN {
    print "'\\\" t"
    printf ".TH %s %s \"%s\"\n.nh\n.ad l\n", toupper(name), section, date
    printf ".SH NAME\n%s \\- %s\n", name, about
    heading(".SH", "DESCRIPTION")
}

/^```/ {
    flush_text()
    in_code = !in_code
    if (in_code) paragraph()
    print (in_code ? ".RS 4\n.nf" : ".fi\n.RE")
    next
}
in_code {
    gsub(/\\/, "\\e")
    gsub(/-/, "\\-")
    print ($0 ~ /^[.']/ ? "\\&" : "") $0
    next
}

/^\|/ {
    flush_text()
    row[++rows] = $0
    next
}
{ flush_table() }

/^# / { next }
/^### / { heading(".SS", inline(substr($0, 5))); next }
/^## / { heading(".SH", toupper(inline(substr($0, 4)))); next }
/^- / { item("\\(bu 2", substr($0, 3)); next }
/^[0-9]+\. / { item($1 " 3", substr($0, length($1) + 2)); next }
/^ *$/ { flush_text(); is_new = 1; next }
{
    line = $0
    # Indented text belongs to the item above it.
    is_indented = sub(/^ +/, "", line)
    if (is_new && !is_indented) paragraph()
    is_new = 0
    text = text (text == "" ? "" : " ") line
}

END {
    flush_text()
    flush_table()
}
