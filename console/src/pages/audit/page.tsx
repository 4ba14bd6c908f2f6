import { Page } from '../../parts/page.tsx'

export function AuditPage() {
  return <Page title="audit">x</Page>
}
