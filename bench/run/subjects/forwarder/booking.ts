import postgres from 'postgres'
import { openBooks } from './books.ts'
import { serve } from './forward.ts'

/** The floor of everything on Node that keeps books: besides, two commits are on the disk for each answer. */
serve(process.argv[2]!, { books: await openBooks(postgres(process.argv[3]!, { onnotice: () => {} })) })
