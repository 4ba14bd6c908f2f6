// @module-tag python-openai

import { pythonSuiteOf } from './python.ts'

pythonSuiteOf({
  need: 'python-openai',
  wrongKey: { name: 'AuthenticationError', code: 'invalid_api_key' },
  noCredit: { name: 'APIStatusError', code: 'insufficient_credits' },
})
