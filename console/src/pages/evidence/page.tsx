import { Page } from '../../parts/page.tsx'

export function EvidencePage() {
  return <Page title="evidence">x</Page>
}
