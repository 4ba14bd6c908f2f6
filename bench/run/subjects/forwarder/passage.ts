import { readFileSync } from 'node:fs'
import { HOSTNAME } from '../../../../egress/testing/identity.ts'
import { serve } from './forward.ts'

/** One of two forwarders with TLS between them: where it ends, or where it begins. */
const [backendUrl, end, identityFile] = process.argv.slice(2) as [string, 'server' | 'client', string]
const pem = readFileSync(identityFile, 'utf8')
serve(backendUrl, end === 'server' ? { identity: pem } : { trusted: { pem, hostname: HOSTNAME } })
