import { isObject } from '#base/object.ts'

/** A JSON object, before anybody has looked into it. */
export type Json = Readonly<Record<string, unknown>>

/** The object at a member, or an empty one. */
export function objectAt(json: Json, key: string): Json {
  const value = json[key]
  return isObject(value) ? value : {}
}

/** The list at a member, or an empty one. */
export function listAt(json: Json, key: string): readonly unknown[] {
  const value = json[key]
  return Array.isArray(value) ? value : []
}

/** The string at a member. */
export function textAt(json: Json, key: string, otherwise: string): string {
  const value = json[key]
  return typeof value === 'string' ? value : otherwise
}

/** The positive whole number at a member. */
export function numberAt(json: Json, key: string, otherwise: number): number {
  const value = json[key]
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : otherwise
}
