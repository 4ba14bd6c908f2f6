import { Accordion, ScrollArea, Text } from '@mantine/core'
import { isObject, type Json } from '../../evidence/json.ts'
import { imagesOf, nameOf, resourcesOf } from '../../evidence/resources.ts'
import styles from './deployment.module.css'

/** The resources of a snapshot, each with its images, and whole when it is opened. */
export function Deployment({ evidence }: { readonly evidence: Json }) {
  const resources = resourcesOf(evidence)
  if (resources.length === 0) return <Text c="dimmed">The snapshot lists no resources.</Text>
  return (
    <Accordion multiple variant="separated" radius="md" order={3}>
      {resources.map((resource, index) => (
        <Accordion.Item key={index} value={String(index)} className={styles.item!}>
          <Accordion.Control>
            <bdi className={`foreign ${styles.name}`}>{nameOf(resource)}</bdi>
            {imagesOf(resource).map((image) => (
              <code key={image} className={`code foreign ${styles.image}`}>
                {image}
              </code>
            ))}
          </Accordion.Control>
          <Accordion.Panel>
            <ScrollArea.Autosize mah={420} viewportProps={{ tabIndex: 0 }}>
              <pre className={styles.text}>
                {JSON.stringify(isObject(resource) ? resource : [resource], null, 2)}
              </pre>
            </ScrollArea.Autosize>
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  )
}
