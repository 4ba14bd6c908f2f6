// @module-tag python-litellm

import { pythonSuiteOf } from './python.ts'

pythonSuiteOf({
  need: 'python-litellm',
  wrongKey: { name: 'AuthenticationError' },
  noCredit: { name: 'APIError' },
  hides: { stream: ['cost_micros'] },
})
