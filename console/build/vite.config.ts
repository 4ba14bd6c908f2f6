import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { LICENCES_FILE } from './licences.ts'
import { NONCE_PLACEHOLDER } from './nonce.ts'

/** How the page is put together: every file but `index.html` is named by its content. */
export default defineConfig({
  root: join(import.meta.dirname, '..'),
  base: '/console/',
  plugins: [react()],
  html: { cspNonce: NONCE_PLACEHOLDER },
  build: {
    target: 'es2023',
    emptyOutDir: true,
    manifest: 'manifest.json',
    license: { fileName: LICENCES_FILE },
    // A data: address would need more of the Content-Security-Policy than the page has.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // In bytes, what counts is what is sent: a test holds the first load to its limit.
    chunkSizeWarningLimit: 1_000,
  },
})
