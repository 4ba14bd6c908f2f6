import type { Json, JsonObject } from '#attestation'
import { isObject } from '#base/object.ts'
import { resourceInWords } from './names.ts'
import { sheetOf } from './sheet.ts'

/** A snapshot for people, whole: resource by resource, each value in a line, what matters most first. */
export function deploymentInWords(evidence: Json): string[] {
  const { resources, ...beside } = isObject(evidence) ? evidence : { evidence }
  const list: readonly Json[] = Array.isArray(resources) ? resources : []
  const rest = list === resources || resources === undefined ? beside : { ...beside, resources }
  return [
    `It consists of ${list.length} ${list.length === 1 ? 'resource' : 'resources'}. Each line tells what a value is about, where it stands, and the value.`,
    ...list.flatMap((resource, index) => [
      '',
      `Resource ${index + 1}: ${resourceInWords(resource)}`,
      ...sheetOf(resource, [], isObject(resource) ? resource.kind : undefined).map((line) => `  ${line}`),
    ]),
    ...(Object.keys(rest).length === 0
      ? []
      : ['', 'Beside the resources:', ...sheetOf(membersOf(rest), [], undefined).map((line) => `  ${line}`)]),
  ]
}

function membersOf(members: JsonObject): Json {
  return members
}
