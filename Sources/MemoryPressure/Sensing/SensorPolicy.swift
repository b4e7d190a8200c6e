/// The conditions that a sensor looks for, and how often.
package struct SensorPolicy: Hashable, Sendable {
    /// The conditions under which levels rise and fall.
    package var levels: LevelPolicy
    /// The stalls for which PSI wakes the process.
    package var stalls: StallPlan

    package init(levels: LevelPolicy = LevelPolicy(), stalls: StallPlan = StallPlan()) {
        self.levels = levels
        self.stalls = stalls
    }

    /// The intervals between readings of headroom.
    package var sampling: SamplingPolicy {
        var sampling = SamplingPolicy()
        sampling.far = levels.headroomFar
        sampling.rise = levels.headroom
        return sampling
    }
}
