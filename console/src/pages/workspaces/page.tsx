import { Page } from '../../parts/page.tsx'

export function WorkspacesPage() {
  return <Page title="workspaces">x</Page>
}
