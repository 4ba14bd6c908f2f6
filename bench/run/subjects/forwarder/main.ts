import { serve } from './forward.ts'

/** The floor of everything that stands on Node: a request goes on, its answer comes back, and nothing else is done. */
serve(process.argv[2]!)
