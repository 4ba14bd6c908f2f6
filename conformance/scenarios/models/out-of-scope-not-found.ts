import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'models/out-of-scope-not-found',
  rules: ['MODL-20'],
  title:
    'GET /models/{id} answers 404 for a model outside the scope of the key, as for one that is not there',
  needs: ['workspace', 'model:other'],
  async run(context) {
    await context.own({ scope: ['other'] })
    const outside = await context.request('getModel', { params: { id: context.model('chat') } })
    expectError(outside, 'model_not_found')
    expectStatus(await context.request('getModel', { params: { id: context.model('other') } }), 200)
  },
})
