/// What a sensor is to look for, and how often.
package struct SensorPolicy: Hashable, Sendable {
    /// When levels rise and fall.
    package var levels: LevelPolicy
    /// What PSI is asked to wake for.
    package var stalls: StallPlan

    package init(levels: LevelPolicy = LevelPolicy(), stalls: StallPlan = StallPlan()) {
        self.levels = levels
        self.stalls = stalls
    }

    /// When headroom has to be looked at again.
    package var sampling: SamplingPolicy {
        var sampling = SamplingPolicy()
        sampling.far = levels.headroomFar
        sampling.rise = levels.headroom
        return sampling
    }
}
