import { expect, test } from 'vitest'
import { OptionError, parseOptions } from './options.ts'

test('without options a run takes ten minutes with seed 1 and three routers', () => {
  expect(parseOptions([])).toMatchObject({
    minutes: 10,
    seed: 1,
    routers: 3,
    json: false,
    breakName: undefined,
  })
})

test.each([
  ['no number', ['--minutes', 'many']],
  ['too many routers', ['--routers', '4']],
  ['a fault that nobody planned', ['--break', 'everything']],
  ['an unknown option', ['--loud']],
])('%s is refused', (_, args) => {
  expect(() => parseOptions(args)).toThrow(OptionError)
})
