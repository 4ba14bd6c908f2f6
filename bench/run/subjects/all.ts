import { direct } from './direct.ts'
import { bookkeeper, forwarder } from './forwarder.ts'
import { grown } from './grown.ts'
import { litellm } from './litellm.ts'
import { manyModels } from './many-models.ts'
import { nginx } from './nginx.ts'
import { passage } from './passage.ts'
import { portkey } from './portkey.ts'
import { replicas } from './replicas.ts'
import { router } from './router.ts'
import type { Subject } from './subject.ts'
import { verified } from './verified.ts'

/** Everything that is measured side by side, in the order of the report. */
export const subjects: readonly Subject[] = [
  direct,
  nginx,
  forwarder,
  bookkeeper,
  router,
  passage,
  verified,
  portkey,
  litellm,
  grown,
  ...manyModels,
  replicas,
]
