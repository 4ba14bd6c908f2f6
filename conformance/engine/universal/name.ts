/** In the place of a scenario's id: what every exchange is held to. */
export const UNIVERSAL = 'universal'
