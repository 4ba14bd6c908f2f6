import { parentPort, workerData } from 'node:worker_threads'
import { changesBetween } from '#egress/deployment/changes.ts'
import type { Comparison } from './comparison.ts'

// Begun by comparison.ts alone.
const { before, after } = workerData as Comparison
parentPort!.postMessage(changesBetween(before, after))
