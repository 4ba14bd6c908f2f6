import { expect, test } from 'vitest'
import { nameFiles } from './named-files.ts'

test.each([
  ['see [Sizing](docs/operator.md#sizing).', 'see Sizing (`docs/operator.md#sizing`).'],
  ['([docs/operator.md](docs/operator.md#alerts))', '(`docs/operator.md#alerts`)'],
  ['[deploy/](deploy/README.md) has it', '`deploy/README.md` has it'],
  ['two [lines\n  long](docs/user.md)', 'two lines\n  long (`docs/user.md`)'],
  ['[RFC](https://www.rfc-editor.org/rfc/rfc8288)', '[RFC](https://www.rfc-editor.org/rfc/rfc8288)'],
])('%j reads %j where the source is not at hand', (written, told) => {
  expect(nameFiles(written)).toBe(told)
})
