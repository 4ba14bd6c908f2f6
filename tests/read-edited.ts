import { type Edit, readEdited } from '#base/testing/read-edited.ts'

// Loaded before a program: what is to read otherwise for it stands in its environment (`edited.ts`).
readEdited(JSON.parse(process.env.EDITED_SOURCES ?? '[]') as Edit[])
