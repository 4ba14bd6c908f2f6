import type { Json } from '#attestation'
import type { components } from '#contract/types'
import type { Path } from './edits.ts'

/** What a part of a deployment is about, for somebody who has to approve of it. */
export type Concern = components['schemas']['DeploymentConcern']

/** The order in which they are told: what runs, what it may do, what it reads, then everything else. */
export const concerns: readonly Concern[] = [
  'image',
  'command',
  'access',
  'secret',
  'port',
  'mount',
  'setting',
  'field',
]

/** Members whose name tells what they and everything below them are about; the first that is met on the way counts. */
const members: Readonly<Record<string, Concern>> = Object.assign(
  Object.create(null),
  ...(
    [
      ['image', ['image', 'imageID', 'imagePullPolicy']],
      ['command', ['command', 'args', 'entrypoint', 'workingDir', 'lifecycle', 'exec']],
      [
        'access',
        [
          ...['hostNetwork', 'hostPID', 'hostIPC', 'hostUsers', 'hostPath', 'hostAliases'],
          ...['privileged', 'allowPrivilegeEscalation', 'capabilities', 'securityContext', 'procMount'],
          ...['shareProcessNamespace', 'runtimeClassName', 'devices', 'nodeName', 'nodeSelector'],
          ...['serviceAccount', 'serviceAccountName', 'automountServiceAccountToken'],
          ...['rules', 'roleRef', 'subjects', 'webhooks', 'ephemeralContainers'],
        ],
      ],
      [
        'secret',
        [
          ...['secret', 'secretRef', 'secretKeyRef', 'secretName', 'secrets', 'imagePullSecrets'],
          ...['projected', 'csi', 'tls'],
        ],
      ],
      ['port', ['ports', 'port', 'nodePort', 'hostPort', 'targetPort', 'externalIPs', 'ingress', 'egress']],
      ['mount', ['volumeMounts', 'volumeDevices', 'volumes', 'volumeClaimTemplates', 'mountPath']],
      ['setting', ['env', 'envFrom', 'configMap', 'configMapRef', 'configMapKeyRef']],
    ] as const
  ).map(([concern, names]) => Object.fromEntries(names.map((name) => [name, concern]))),
)

/** Kinds that are about one thing as a whole. */
const kinds: Readonly<Record<string, Concern>> = Object.assign(Object.create(null), {
  Secret: 'secret',
  ConfigMap: 'setting',
})

/** Parts of a volume that matter more than that it is one. */
const DEEPER: readonly Concern[] = ['mount', 'setting']

/** What stands at a path within a resource of a kind. */
export function concernOf(kind: Json | undefined, path: Path): Concern {
  const data = path[0] === 'data' || path[0] === 'stringData' || path[0] === 'binaryData'
  if (data && typeof kind === 'string' && kinds[kind] !== undefined) return kinds[kind]
  let found: Concern = 'field'
  for (const part of path) {
    const concern = members[String(part)]
    if (concern === undefined) continue
    if (found === 'field' || DEEPER.includes(found)) found = concern
  }
  return found
}
