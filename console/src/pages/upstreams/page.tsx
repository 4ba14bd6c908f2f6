import { Page } from '../../parts/page.tsx'

export function UpstreamsPage() {
  return <Page title="upstreams">x</Page>
}
