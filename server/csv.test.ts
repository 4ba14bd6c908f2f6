import { expect, test } from 'vitest'
import { toLine } from './csv.ts'

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', `"'\tx"`],
  ['\n=1', `"'\n'=1"`],
  ['x;=1+1;y', `"x;'=1+1;y"`],
  ['x;y', '"x;y"'],
  ['a\t@b', `"a\t'@b"`],
  ['＝1+1', "'＝1+1"],
  ['=HYPERLINK("https://x.example","y")', `"'=HYPERLINK(""https://x.example"",""y"")"`],
  ['a,b', '"a,b"'],
  ['a"b', '"a""b"'],
  ['a\nb', '"a\nb"'],
  ['acme/large=1', 'acme/large=1'],
  ['\u202e=1+1', "'\u202e=1+1"],
  [' \u200b=1+1', "' \u200b=1+1"],
  ['מפתח', 'מפתח'],
  ['<script>alert(1)</script>', '<script>alert(1)</script>'],
])('the text %j is the cell %j', (text, cell) => {
  expect(toLine([text, 7n, -7n, 0.5, null])).toBe(`${cell},7,-7,0.5,\r\n`)
})
