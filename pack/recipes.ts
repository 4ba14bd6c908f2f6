import { client } from './client/recipe.ts'
import { conformance } from './conformance/recipe.ts'
import { proxy } from './proxy/recipe.ts'
import type { Recipe } from './recipe.ts'
import { router } from './router/recipe.ts'
import { verifier } from './verifier/recipe.ts'

/** Every package, in the order in which they are made. */
export const recipes: readonly Recipe[] = [client, verifier, proxy, router, conformance]
