import '@mantine/core/styles.css'
import '../theme/page.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createQueries } from '../api/queries.ts'
import { dismiss } from '../session/dismiss.ts'
import { leaveForNow, leaveWithOtherTabs } from '../session/leave.ts'
import { meQuery } from '../session/me.ts'
import { lendNonce, styleNonce } from '../theme/style-nonce.ts'
import { theme, variables } from '../theme/theme.ts'
import { createConsoleRouter } from './router.tsx'

const queries = createQueries({
  onSignedOut() {
    // Who was never signed in is led to the sign-in by the router of the page.
    if (queries.getQueryData(meQuery.queryKey) !== undefined) leaveForNow()
  },
  onDismissed: () => dismiss(queries),
})
const router = createConsoleRouter(queries)

lendNonce()
leaveWithOtherTabs()

createRoot(document.getElementById('page')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
