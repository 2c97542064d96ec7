/** Texts, attributes and multileaders. */
import {
  AttributeDefinition,
  AttributeEntity,
  MText,
  MultiLeader,
  type MultiLeaderObjectContextData,
  TextEntity,
} from '@node-projects/acad-ts';
import type { TagOutput } from '../tag-output.ts';
import { entityWriter, writeNormal } from './entity-writer.ts';

function writePlacedText(output: TagOutput, text: TextEntity): void {
  output.text(100, 'AcDbText');
  output.vector(10, text.insertPoint);
  output.number(40, text.height);
  output.text(1, text.value);
  output.degrees(50, text.rotation);
  output.number(72, text.horizontalAlignment);
  output.vector(11, text.alignmentPoint);
  writeNormal(output, text.normal);
}

function writeAttribute(output: TagOutput, attribute: AttributeEntity | AttributeDefinition): void {
  writePlacedText(output, attribute);
  output.text(100, attribute.subclassMarker);
  output.text(2, attribute.tag);
  output.number(70, attribute.flags);
  output.number(74, attribute.verticalAlignment);
}

/** A text of several lines has its direction as a vector. */
function writeMText(output: TagOutput, text: MText): void {
  output.text(100, 'AcDbMText');
  output.vector(10, text.insertPoint);
  output.number(40, text.height);
  output.text(1, text.value);
  output.vector(11, text.alignmentPoint);
  writeNormal(output, text.normal);
}

function writeMultiLeader(output: TagOutput, leader: MultiLeader): void {
  output.text(100, 'AcDbMLeader');
  output.text(300, 'CONTEXT_DATA{');
  writeContext(output, leader.contextData);
  output.text(301, '}');
  output.number(291, leader.enableDogleg ? 1 : 0);
}

function writeContext(output: TagOutput, context: MultiLeaderObjectContextData): void {
  output.number(41, context.textHeight);
  output.number(290, context.hasTextContents ? 1 : 0);
  if (context.hasTextContents) {
    output.text(304, context.textLabel);
    output.vector(12, context.textLocation);
  }
  output.number(296, context.hasContentsBlock ? 1 : 0);
  if (context.hasContentsBlock) output.vector(15, context.blockContentLocation);
  for (const { connectionPoint, direction, landingDistance, lines } of context.leaderRoots) {
    output.text(302, 'LEADER{');
    output.vector(10, connectionPoint);
    output.vector(11, direction);
    output.number(40, landingDistance);
    for (const { points } of lines) {
      output.text(304, 'LEADER_LINE{');
      for (const point of points) output.vector(10, point);
      output.text(305, '}');
    }
    output.text(303, '}');
  }
}

export const textEntities = [
  entityWriter(TextEntity, (output, text) => {
    writePlacedText(output, text);
    output.text(100, 'AcDbText');
    output.number(73, text.verticalAlignment);
  }),
  entityWriter(AttributeEntity, writeAttribute),
  entityWriter(AttributeDefinition, writeAttribute),
  entityWriter(MText, writeMText),
  entityWriter(MultiLeader, writeMultiLeader),
] as const;
